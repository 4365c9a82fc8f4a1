package io.penstock.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.call.RefusalCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

    private static final Pattern EVENT_ROW =
            Pattern.compile(
                    "^\\| `([a-z-]+)` \\| ((?:WARNING|ERROR)[A-Z, ]*?) \\|", Pattern.MULTILINE);

    /** A level, and the first event after it in the same statement. */
    private static final Pattern LOGGED =
            Pattern.compile("\\b(DEBUG|INFO|WARNING|ERROR),[^;]{0,120}?\"event=([a-z-]+)");

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

    /** Whoever is paged by a line finds it. */
    @Test
    void runbook_events_areThoseThatAreLogged() throws IOException {
        Set<String> written = new TreeSet<>();
        Matcher row =
                EVENT_ROW.matcher(Files.readString(ROOT.resolve("docs/operating/runbook.md")));
        while (row.find()) {
            for (String level : row.group(2).split(", ", -1)) {
                written.add(row.group(1) + " " + level);
            }
        }

        assertThat(written).hasSizeGreaterThan(40).containsExactlyElementsOf(logged());
    }

    /** Names of events with their levels, WARNING and above. */
    private static Set<String> logged() throws IOException {
        Set<String> logged = new TreeSet<>();
        for (String module : List.of("budget", "cluster", "gateway", "cli")) {
            try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path source :
                        sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                    Matcher event = LOGGED.matcher(Files.readString(source));
                    while (event.find()) {
                        if (!event.group(1).equals("DEBUG") && !event.group(1).equals("INFO")) {
                            logged.add(event.group(2) + " " + event.group(1));
                        }
                    }
                }
            }
        }
        return logged;
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
