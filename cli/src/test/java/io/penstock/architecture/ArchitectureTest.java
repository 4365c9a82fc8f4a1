package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Are the arrows right? Every rule holds for the product, and fails for its known-bad example. */
final class ArchitectureTest {
    private static final String PRODUCT = "io.penstock";
    private static final String BAD = "io.penstock.architecture.bad";

    @TestFactory
    Stream<DynamicTest> rule_onTheProduct_holds() {
        JavaClasses product =
                new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(location -> !location.contains("-tests.jar"))
                        .importPackages(PRODUCT);
        assertThat(product.size()).as("classes of the product").isGreaterThan(50);
        return Stream.of(Rule.values())
                .map(rule -> dynamicTest(rule.name(), () -> rule.on(PRODUCT).check(product)));
    }

    @TestFactory
    Stream<DynamicTest> rule_onItsBadExample_fails() {
        JavaClasses bad = new ClassFileImporter().importPackages(BAD);
        return Stream.of(Rule.values())
                .map(
                        rule ->
                                dynamicTest(
                                        rule.name(),
                                        () -> {
                                            EvaluationResult result = rule.on(BAD).evaluate(bad);
                                            assertThat(result.hasViolation())
                                                    .as(rule.name())
                                                    .isTrue();
                                            assertThat(result.getFailureReport().getDetails())
                                                    .anyMatch(
                                                            line -> line.contains(rule.example()));
                                        }));
    }
}
