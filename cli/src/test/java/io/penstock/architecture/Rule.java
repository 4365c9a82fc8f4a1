package io.penstock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;

/**
 * One rule of the architecture, for any root package, with the name of the class that breaks it on
 * purpose.
 */
enum Rule {
    CORES_DEPEND_ON_THE_JDK_ONLY(
            "GreedyCore",
            root ->
                    classes()
                            .that()
                            .resideInAPackage(root + ".budget..")
                            .should()
                            .onlyDependOnClassesThat()
                            .resideInAnyPackage(
                                    "java.lang..",
                                    "java.util..",
                                    "java.time..",
                                    "java.math..",
                                    "org.jspecify..",
                                    root + ".budget..")),
    ONLY_CLI_DEPENDS_ON_GATEWAY(
            "BackwardStore",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackages(root + ".gateway..", root + ".cli..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage(root + ".gateway..")),
    NOTHING_DEPENDS_ON_CLI(
            "UpwardDoor",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackage(root + ".cli..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage(root + ".cli..")),
    SQL_STAYS_IN_CLUSTER(
            "SqlInDoor",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackage(root + ".cluster..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(
                                    "java.sql..",
                                    "javax.sql..",
                                    "io.helidon.dbclient..",
                                    "com.zaxxer..",
                                    "org.postgresql..")),
    WEB_SERVER_STAYS_IN_DOORS_AND_WIRING(
            "WebInCall",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackages(
                                    root + ".gateway.door..",
                                    root + ".gateway.admin..",
                                    root + ".gateway",
                                    root + ".cli..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage("io.helidon.webserver..")),
    RESILIENCE_STAYS_WHERE_OTHERS_ARE_CALLED(
            "ResilientCall",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackages(
                                    root + ".gateway.upstream..",
                                    root + ".gateway.admin..",
                                    root + ".gateway")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage("io.github.resilience4j..")),
    NO_METERS_IN_CORES_AND_CALL_PATH(
            "MeteredCall",
            root ->
                    noClasses()
                            .that()
                            .resideInAnyPackage(root + ".budget..", root + ".gateway.call..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAPackage("io.micrometer..")),
    NO_PACKAGE_CYCLES(
            "CycleOne", root -> slices().matching(root + ".(**)").should().beFreeOfCycles()),
    NO_BANNED_TYPE_NAMES(
            "CallUtils",
            root ->
                    noClasses()
                            .should()
                            .haveNameMatching(
                                    ".*\\.([A-Za-z]*(Utils?|Helper|Manager|Impl|Base|Misc|Data|Info)"
                                        + "|Abstract[A-Z]\\w*|Common\\w*)")),
    NO_BANNED_PACKAGE_NAMES(
            "Misplaced",
            root ->
                    noClasses()
                            .should()
                            .resideInAnyPackage(
                                    "..util..",
                                    "..common..",
                                    "..helper..",
                                    "..impl..",
                                    "..misc..",
                                    "..model..",
                                    "..dto..")),
    NO_CLOCK_OUTSIDE_WIRING(
            "OwnClock",
            root ->
                    noClasses()
                            .that(are(not(wiring(root))))
                            .should()
                            .accessTargetWhere(clockOrChance())),
    NO_OLD_CONCURRENCY(
            "Pooled",
            root ->
                    noClasses()
                            .should()
                            .dependOnClassesThat()
                            .areAssignableTo(ThreadLocal.class)
                            .orShould()
                            .accessTargetWhere(poolOrParallelStream())),
    NO_FUTURES_IN_SIGNATURES(
            "Futuristic", root -> noMethods().should().haveRawReturnType(CompletableFuture.class)),
    NO_FUTURES_IN_FIELDS(
            "FutureHolder", root -> noFields().should().haveRawType(CompletableFuture.class)),
    EXCEPTIONS_ARE_UNCHECKED(
            "CheckedFailure",
            root ->
                    classes()
                            .that()
                            .areAssignableTo(Throwable.class)
                            .should()
                            .beAssignableTo(RuntimeException.class)
                            .orShould()
                            .beAssignableTo(SQLException.class)),
    NO_NAMELESS_EXCEPTIONS(
            "Vague", root -> noClasses().should().callConstructorWhere(ofNamelessException())),
    NO_STANDARD_STREAMS(
            "Talker",
            root ->
                    noClasses()
                            .that()
                            .resideOutsideOfPackage(root + ".cli..")
                            .should()
                            .accessTargetWhere(standardStream())),
    NO_STATIC_MUTABLE_STATE("Remembering", root -> fields().that().areStatic().should().beFinal()),
    CLASSES_ARE_FINAL("Extensible", root -> classes().that(areConcrete()).should(beFinal())),
    CLASSES_EXTEND_NONE_OF_OURS(
            "Inheriting", root -> classes().that(areConcrete()).should(extendNoneOfOurs())),
    PACKAGES_ARE_NULL_MARKED(
            "unmarked",
            root ->
                    classes()
                            .that()
                            .doNotHaveSimpleName("package-info")
                            .should(resideInNullMarkedPackage())),
    NO_FOREIGN_FRAMEWORKS(
            "Injected",
            root ->
                    noClasses()
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(
                                    "jakarta.inject..",
                                    "javax.inject..",
                                    "lombok..",
                                    "org.mockito..",
                                    "javax.annotation..",
                                    "org.jetbrains.annotations..")),
    SEALED_RESULTS_DECLARE_NO_THROWS(
            "Thrower",
            root -> methods().that().arePublic().and(returnSealed()).should(declareNoThrows())),
    NO_OPTIONAL_PARAMETERS("Optionally", root -> noMethods().should(takeOptional())),
    TRANSACTIONS_IN_ONE_CLASS(
            "FreeCommit",
            root ->
                    noClasses()
                            .that()
                            .doNotHaveFullyQualifiedName(root + ".cluster.postgres.Transactions")
                            .should()
                            .accessTargetWhere(transactionControl()));

    private final String example;
    private final Function<String, ArchRule> rule;

    Rule(String example, Function<String, ArchRule> rule) {
        this.example = example;
        this.rule = rule;
    }

    ArchRule on(String root) {
        return rule.apply(root);
    }

    /** Part of the name of the class that breaks the rule on purpose. */
    String example() {
        return example;
    }

    /**
     * Where clocks, sleeps and randomness come from: the classes that put the parts together, and
     * the commands.
     */
    private static DescribedPredicate<JavaClass> wiring(String root) {
        Set<String> named =
                Set.of(
                        root + ".gateway.Replica",
                        root + ".cluster.Cluster",
                        // waits for a process of the operating system
                        root + ".cluster.postgres.EmbeddedPostgres");
        return resideInAPackage(root + ".cli..")
                .or(
                        DescribedPredicate.describe(
                                "wiring",
                                type ->
                                        named.stream()
                                                .anyMatch(
                                                        name ->
                                                                type.getName().equals(name)
                                                                        || type.getName()
                                                                                .startsWith(
                                                                                        name
                                                                                                + "$"))));
    }

    private static DescribedPredicate<JavaAccess<?>> access(
            String description, Set<String> targets) {
        return DescribedPredicate.describe(
                description,
                access -> {
                    String owner = access.getTargetOwner().getName();
                    return targets.contains(owner + "." + access.getName())
                            || targets.contains(owner + ".*");
                });
    }

    private static DescribedPredicate<JavaAccess<?>> clockOrChance() {
        return access(
                "a clock, a sleep or chance",
                Set.of(
                        "java.lang.System.nanoTime",
                        "java.lang.System.currentTimeMillis",
                        "java.time.Instant.now",
                        "java.time.LocalDate.now",
                        "java.time.LocalDateTime.now",
                        "java.time.ZonedDateTime.now",
                        "java.time.OffsetDateTime.now",
                        "java.time.InstantSource.system",
                        "java.time.Clock.systemUTC",
                        "java.time.Clock.systemDefaultZone",
                        "java.time.Clock.system",
                        "java.lang.Thread.sleep",
                        "java.lang.Math.random",
                        "java.util.Random.<init>",
                        "java.util.UUID.randomUUID",
                        "java.util.concurrent.ThreadLocalRandom.current"));
    }

    private static DescribedPredicate<JavaAccess<?>> poolOrParallelStream() {
        return DescribedPredicate.describe(
                "a thread pool or a parallel stream",
                access ->
                        access.getTargetOwner().getName().equals("java.util.concurrent.Executors")
                                        && access.getName().endsWith("ThreadPool")
                                || access.getName().equals("parallelStream"));
    }

    private static DescribedPredicate<JavaAccess<?>> standardStream() {
        return access(
                "standard streams",
                Set.of(
                        "java.lang.System.out",
                        "java.lang.System.err",
                        "java.lang.Throwable.printStackTrace"));
    }

    private static DescribedPredicate<JavaAccess<?>> transactionControl() {
        return access(
                "begin, commit or rollback",
                Set.of(
                        "java.sql.Connection.commit",
                        "java.sql.Connection.rollback",
                        "java.sql.Connection.setAutoCommit"));
    }

    private static DescribedPredicate<JavaConstructorCall> ofNamelessException() {
        Set<String> nameless =
                Set.of(
                        "java.lang.RuntimeException",
                        "java.lang.Exception",
                        "java.lang.Error",
                        "java.lang.Throwable");
        return DescribedPredicate.describe(
                "of an exception without a meaning",
                call ->
                        nameless.contains(call.getTargetOwner().getName())
                                && !call.getName().equals("super")
                                && !call.getOrigin().getOwner().isAssignableTo(Throwable.class));
    }

    private static DescribedPredicate<JavaClass> areConcrete() {
        return DescribedPredicate.describe(
                "are concrete classes",
                type ->
                        !type.isInterface()
                                && !type.isRecord()
                                && !type.isEnum()
                                && !type.isAnonymousClass()
                                && !type.isAssignableTo(Enum.class)
                                && !type.isAssignableTo(Throwable.class)
                                && !type.getModifiers().contains(JavaModifier.SYNTHETIC)
                                && !type.getSimpleName().equals("package-info")
                                && !type.getName().equals("module-info")
                                && !type.reflect().isSealed());
    }

    private static ArchCondition<JavaClass> beFinal() {
        return condition(
                "be final",
                type -> type.getModifiers().contains(JavaModifier.FINAL),
                type -> type.getName() + " is not final");
    }

    /** What a framework or the JDK offers as a class only may be extended. */
    private static ArchCondition<JavaClass> extendNoneOfOurs() {
        return condition(
                "extend none of our classes",
                type ->
                        type.getRawSuperclass()
                                .map(parent -> !parent.getPackageName().startsWith("io.penstock"))
                                .orElse(true),
                type -> type.getName() + " extends " + type.getRawSuperclass());
    }

    private static ArchCondition<JavaClass> resideInNullMarkedPackage() {
        return condition(
                "reside in a package that is @NullMarked",
                type -> type.getPackage().isAnnotatedWith(NullMarked.class),
                type -> type.getPackageName() + " of " + type.getName() + " is not @NullMarked");
    }

    private static DescribedPredicate<JavaMethod> returnSealed() {
        return DescribedPredicate.describe(
                "return a sealed type",
                method -> {
                    JavaClass type = method.getRawReturnType();
                    return type.getPackageName().startsWith("io.penstock")
                            && type.reflect().isSealed();
                });
    }

    /** SQL errors travel within {@code cluster} to the one place that classifies them. */
    private static ArchCondition<JavaMethod> declareNoThrows() {
        return new ArchCondition<>("declare no throws but SQLException") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                events.add(
                        new SimpleConditionEvent(
                                method,
                                method.getThrowsClause().getTypes().stream()
                                        .allMatch(
                                                type ->
                                                        type.getName()
                                                                .equals("java.sql.SQLException")),
                                method.getFullName() + " declares " + method.getThrowsClause()));
            }
        };
    }

    private static ArchCondition<JavaMethod> takeOptional() {
        return new ArchCondition<>("take an Optional") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                boolean takes =
                        method.getRawParameterTypes().stream()
                                .anyMatch(type -> type.isEquivalentTo(Optional.class));
                // private methods may hand on what another's library returns
                boolean written = !method.getModifiers().contains(JavaModifier.PRIVATE);
                events.add(
                        new SimpleConditionEvent(
                                method,
                                takes && written,
                                method.getFullName() + " takes an Optional"));
            }
        };
    }

    private static ArchCondition<JavaClass> condition(
            String description,
            java.util.function.Predicate<JavaClass> holds,
            Function<JavaClass, String> message) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!holds.test(type)) {
                    events.add(SimpleConditionEvent.violated(type, message.apply(type)));
                }
            }
        };
    }
}
