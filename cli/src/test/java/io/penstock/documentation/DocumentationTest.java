package io.penstock.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.call.RefusalCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Do the pages hold together, and do their tables say what the code says? */
final class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)");
    private static final Pattern REFUSAL =
            Pattern.compile("^\\| `([a-z-]+)` \\| (\\d{3}) \\| (-\\d+) \\|", Pattern.MULTILINE);

    @Test
    void links_toOtherPages_lead() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                String target = link.group(1);
                if (target.contains("://")) continue;
                if (!Files.exists(page.resolveSibling(target)))
                    dead.add(ROOT.relativize(page) + ": " + target);
            }
        }
        assertThat(dead).isEmpty();
    }

    @Test
    void readme_isShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(150);
    }

    @Test
    void refusalsPage_codes_areThoseOfTheCode() throws IOException {
        List<String> written = new ArrayList<>();
        Matcher row = REFUSAL.matcher(Files.readString(ROOT.resolve("docs/reference/refusals.md")));
        while (row.find()) written.add(row.group(1) + " " + row.group(2) + " " + row.group(3));

        List<String> coded =
                Stream.of(RefusalCode.values())
                        .map(code -> code.label() + " " + code.status() + " " + code.rpcCode())
                        .toList();
        assertThat(written).containsExactlyElementsOf(coded);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            List<Path> pages =
                    new ArrayList<>(files.filter(file -> file.toString().endsWith(".md")).toList());
            for (String name : List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md")) {
                pages.add(ROOT.resolve(name));
            }
            for (String module : List.of("budget", "cluster", "gateway", "cli")) {
                pages.add(ROOT.resolve(module).resolve("DESIGN.md"));
            }
            return pages;
        }
    }
}
