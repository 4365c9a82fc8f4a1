package io.penstock.gateway.config;

import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the limit and the window of a budget: they come together, in several forms. */
final class WindowReader {
    private static final Pattern RATE = Pattern.compile("([0-9]+)/([0-9]*)([a-z]+)");
    private static final Window FALLBACK = new Window.Lifetime();
    private static final long RATE_MAX = 1L << 40;

    private final Section section;
    private final Unit unit;

    WindowReader(Section section, Unit unit) {
        this.section = section;
        this.unit = unit;
    }

    /** How much in which span. */
    record Extent(long limit, Window window) {}

    Extent read() {
        if (unit == Unit.CONCURRENCY) {
            section.requirePresence("limit");
            for (String key : List.of("window", "rate", "burst")) {
                refuse(key, "means nothing for concurrency, which counts calls that are open now");
            }
            return new Extent(BudgetReader.amount(section, "limit", unit), new Window.Open());
        }
        if (section.has("rate")) {
            refuse("limit", "and rate exclude each other");
            refuse("window", "and rate exclude each other");
            return rate();
        }
        refuse("burst", "belongs to a rate");
        section.requirePresence("limit");
        section.requirePresence("window");
        return new Extent(BudgetReader.amount(section, "limit", unit), window());
    }

    private void refuse(String key, String why) {
        if (section.has(key)) {
            section.problem(key, section.label(key) + " " + why);
        }
    }

    private Extent rate() {
        String text = section.text("rate");
        long burst = section.has("burst") ? section.whole("burst") : 0;
        Matcher matcher = RATE.matcher(text == null ? "" : text);
        if (!matcher.matches()) {
            return new Extent(0, FALLBACK);
        }
        long limit = Long.parseLong(matcher.group(1));
        String count = matcher.group(2).isEmpty() ? "1" : matcher.group(2);
        OptionalLong nanos = Quantity.nanos(count + matcher.group(3));
        if (nanos.isEmpty() || limit > RATE_MAX) {
            section.problem("rate", section.label("rate") + ": " + text + " is out of range");
            return new Extent(0, FALLBACK);
        }
        long most = burst == 0 ? Math.max(1, limit) : burst;
        return new Extent(
                limit, possible("rate", () -> new Window.Rate(nanos.getAsLong() / 1_000, most)));
    }

    private Window window() {
        if (section.has("window") && !section.isScalar("window")) {
            return object(section.section("window"));
        }
        String text = section.text("window");
        if (text == null) {
            return FALLBACK;
        }
        if (text.equals("lifetime")) {
            return new Window.Lifetime();
        }
        OptionalLong nanos = Quantity.nanos(text);
        if (nanos.isEmpty()) {
            section.problem(
                    "window",
                    section.label("window")
                            + ": "
                            + text
                            + " is not a duration such as 1s or 24h, nor lifetime");
            return FALLBACK;
        }
        return possible("window", () -> new Window.Fixed(nanos.getAsLong() / 1_000));
    }

    private Window object(Section window) {
        List<String> kinds =
                List.of("calendar", "sliding", "session").stream().filter(window::has).toList();
        if (kinds.size() != 1) {
            section.problem(
                    "window",
                    section.label("window")
                            + " must have one of calendar, sliding and session"
                            + (kinds.isEmpty() ? "" : ", not " + String.join(" and ", kinds)));
            return FALLBACK;
        }
        if (window.has("zone") && !window.has("calendar")) {
            window.problem("zone", window.label("zone") + " belongs to a calendar window");
        }
        return switch (kinds.getFirst()) {
            case "calendar" ->
                    new Window.Calendar(
                            Window.Calendar.Span.valueOf(
                                    window.choice("calendar").toUpperCase(Locale.ROOT)),
                            zone(window));
            case "sliding" -> {
                Duration length = window.span("sliding");
                yield possible("window", () -> new Window.Sliding(length.toNanos() / 1_000));
            }
            default -> new Window.Session(window.span("session").toNanos() / 1_000);
        };
    }

    private static ZoneId zone(Section window) {
        String id = window.text("zone");
        try {
            ZoneId zone = ZoneId.of(id == null ? "UTC" : id);
            if (zone instanceof ZoneOffset) {
                window.problem(
                        "zone", window.label("zone") + ": " + id + " is an offset, not a zone");
            }
            return zone;
        } catch (DateTimeException e) {
            window.problem(
                    "zone",
                    window.label("zone")
                            + ": "
                            + id
                            + " is not a time zone"
                            + Nearest.to(String.valueOf(id), ZoneId.getAvailableZoneIds())
                                    .map(near -> ": did you mean " + near + "?")
                                    .orElse(""));
            return ZoneOffset.UTC;
        }
    }

    private interface Maker {
        Window make();
    }

    /** What the core refuses is a problem of the file. */
    private Window possible(String key, Maker maker) {
        try {
            return maker.make();
        } catch (IllegalArgumentException e) {
            section.problem(key, section.label(key) + ": " + e.getMessage());
            return FALLBACK;
        }
    }
}
