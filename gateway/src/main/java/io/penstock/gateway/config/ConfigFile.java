package io.penstock.gateway.config;

import io.penstock.gateway.config.Reading.Invalid;
import io.penstock.gateway.config.Reading.Valid;
import io.penstock.gateway.config.YamlNode.Place;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a configuration file: strictly, once, and with every problem reported together.
 *
 * <p><b>Failure.</b> Results, never exceptions: an unreadable file is a problem too.
 */
public final class ConfigFile {
    /** Far above any real configuration; a bound so that a wrong path cannot fill the memory. */
    private static final int FILE_BYTES_MAX = 1 << 20;

    private ConfigFile() {}

    /** All that a replica is told. Files and variables that it names must be there. */
    public static Reading<ReplicaConfig> read(
            Path file, Function<String, @Nullable String> environment) {
        ReadContext context = context(file, environment, true);
        return result(file, context, root -> new ConfigReader(context).replica(root));
    }

    /**
     * The cluster-wide part alone. Keys of single replicas may be missing, and their files and
     * variables belong to other machines: they are checked for form only.
     */
    public static Reading<RulesConfig> readRules(
            Path file, Function<String, @Nullable String> environment) {
        ReadContext context = context(file, environment, false);
        return result(file, context, root -> new ConfigReader(context).rules(root));
    }

    /**
     * The database alone, for commands that change the cluster: other parts may be wrong, and where
     * there is an {@code operator} part the gateway's own secret is not read.
     */
    public static Reading<DatabaseSection> readDatabase(
            Path file, Function<String, @Nullable String> environment) {
        ReadContext context = context(file, environment, true);
        return result(
                file,
                context,
                root -> {
                    context.problems().clear();
                    return new DatabaseReader(root.section("database")).forOperator();
                });
    }

    private static <T> Reading<T> result(
            Path file, ReadContext context, Function<Section, T> read) {
        String text = text(file, context);
        YamlNode node = text == null ? null : YamlTree.read(text, context::problem);
        if (node == null && !context.problems().isEmpty()) {
            return new Invalid<>(context.problems());
        }
        T value = read.apply(Section.root(context, node));
        return context.problems().isEmpty()
                ? new Valid<>(value)
                : new Invalid<>(context.problems());
    }

    private static ReadContext context(
            Path file, Function<String, @Nullable String> environment, boolean local) {
        Path folder = file.toAbsolutePath().getParent();
        return new ReadContext(file.toString(), folder == null ? file : folder, environment, local);
    }

    private static @Nullable String text(Path file, ReadContext context) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                context.problem(Place.WHOLE_FILE, "larger than 1MiB: not a configuration");
                return null;
            }
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (NoSuchFileException e) {
            context.problem(Place.WHOLE_FILE, "there is no such file");
        } catch (CharacterCodingException e) {
            context.problem(Place.WHOLE_FILE, "not UTF-8");
        } catch (IOException e) {
            context.problem(Place.WHOLE_FILE, "cannot be read: " + e.getMessage());
        }
        return null;
    }
}
