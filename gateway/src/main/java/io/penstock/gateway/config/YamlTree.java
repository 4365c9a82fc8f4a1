package io.penstock.gateway.config;

import io.penstock.gateway.config.YamlNode.Entry;
import io.penstock.gateway.config.YamlNode.Mapping;
import io.penstock.gateway.config.YamlNode.Place;
import io.penstock.gateway.config.YamlNode.Scalar;
import io.penstock.gateway.config.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingEndEvent;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceEndEvent;
import org.snakeyaml.engine.v2.events.StreamEndEvent;
import org.snakeyaml.engine.v2.events.StreamStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one YAML document from its events, because a reader that makes objects loses the lines,
 * turns {@code 010} into 8 and {@code off} into false, and lets the second of two equal keys win.
 *
 * <p>What two readers could understand differently is a problem: equal keys, tags, anchors and
 * aliases, a second document.
 */
final class YamlTree {
    /** A configuration is written by hand; deeper than this is a mistake or an attack. */
    private static final int DEPTH_MAX = 32;

    private final BiConsumer<Place, String> problems;
    private final Iterator<Event> events;

    private YamlTree(Iterator<Event> events, BiConsumer<Place, String> problems) {
        this.events = events;
        this.problems = problems;
    }

    /** The document's root, or null where there is none or it cannot be read. */
    static @Nullable YamlNode read(String text, BiConsumer<Place, String> problems) {
        LoadSettings settings = LoadSettings.builder().setUseMarks(true).build();
        try {
            Iterator<Event> events = new Parse(settings).parseString(text).iterator();
            return new YamlTree(events, problems).document();
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            String context = e.getContext() == null ? "" : " (" + e.getContext() + ")";
            problems.accept(place(mark), "not YAML: " + e.getProblem() + context);
        } catch (YamlEngineException e) {
            problems.accept(Place.WHOLE_FILE, "not YAML: " + firstLine(e.getMessage()));
        }
        return null;
    }

    private @Nullable YamlNode document() {
        YamlNode root = null;
        while (events.hasNext()) {
            Event event = events.next();
            switch (event) {
                case StreamStartEvent _, StreamEndEvent _, DocumentEndEvent _ -> {}
                case DocumentStartEvent start -> {
                    if (root != null) {
                        problems.accept(
                                place(start.getStartMark()),
                                "a second document begins here: one file holds one configuration");
                        return root;
                    }
                }
                default -> root = node(event, 0);
            }
        }
        return root;
    }

    private YamlNode node(Event event, int depth) {
        Place place = place(event.getStartMark());
        if (depth > DEPTH_MAX) {
            throw new TooDeep(event.getStartMark());
        }
        if (event instanceof NodeEvent node && !(event instanceof AliasEvent)) {
            refuseAnchor(node, place);
        }
        return switch (event) {
            case ScalarEvent scalar -> {
                refuseTag(scalar.getTag(), place);
                yield new Scalar(place, scalar.getValue(), scalar.isPlain());
            }
            case MappingStartEvent start -> {
                refuseTag(start.getTag(), place);
                yield mapping(place, depth);
            }
            case CollectionStartEvent start -> {
                refuseTag(start.getTag(), place);
                yield sequence(place, depth);
            }
            default -> {
                problems.accept(place, "aliases are not read here: write the value out");
                yield new Scalar(place, "", true);
            }
        };
    }

    private Sequence sequence(Place place, int depth) {
        List<YamlNode> items = new ArrayList<>();
        Event event = events.next();
        while (!(event instanceof SequenceEndEvent)) {
            items.add(node(event, depth + 1));
            event = events.next();
        }
        return new Sequence(place, items);
    }

    private Mapping mapping(Place place, int depth) {
        List<Entry> entries = new ArrayList<>();
        Map<String, Place> seen = new HashMap<>();
        Event event = events.next();
        while (!(event instanceof MappingEndEvent)) {
            YamlNode key = node(event, depth + 1);
            YamlNode value = node(events.next(), depth + 1);
            if (key instanceof Scalar name) {
                Place first = seen.putIfAbsent(name.text(), name.place());
                if (first == null) {
                    entries.add(new Entry(name, value));
                } else {
                    problems.accept(
                            name.place(),
                            "key " + name.text() + " is already on line " + first.line());
                }
            } else {
                problems.accept(key.place(), "a key must be a plain word");
            }
            event = events.next();
        }
        return new Mapping(place, entries);
    }

    private void refuseAnchor(NodeEvent node, Place place) {
        node.getAnchor()
                .ifPresent(
                        anchor ->
                                problems.accept(
                                        place,
                                        "anchors are not read here (&" + anchor.getValue() + ")"));
    }

    private void refuseTag(Optional<String> tag, Place place) {
        tag.ifPresent(name -> problems.accept(place, "tags are not read here (" + name + ")"));
    }

    private static Place place(Optional<Mark> mark) {
        return mark.map(m -> new Place(m.getLine() + 1, m.getColumn() + 1))
                .orElse(Place.WHOLE_FILE);
    }

    private static String firstLine(@Nullable String message) {
        return message == null ? "unreadable" : message.lines().findFirst().orElse("unreadable");
    }

    private static final class TooDeep extends MarkedYamlEngineException {
        private static final long serialVersionUID = 1L;

        TooDeep(Optional<Mark> mark) {
            super(null, Optional.empty(), "nested deeper than " + DEPTH_MAX + " levels", mark);
        }
    }
}
