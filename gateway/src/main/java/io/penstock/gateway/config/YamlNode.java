package io.penstock.gateway.config;

import java.util.List;

/** A node of a YAML document, with the place it stands at. Scalars stay the text they are. */
sealed interface YamlNode {

    Place place();

    /**
     * Where a node begins.
     *
     * @param line from 1
     * @param column from 1
     */
    record Place(int line, int column) {
        static final Place WHOLE_FILE = new Place(0, 0);
    }

    /**
     * @param plain written without quotes, so that an empty one means "nothing"
     */
    record Scalar(Place place, String text, boolean plain) implements YamlNode {
        boolean absent() {
            return plain && (text.isEmpty() || text.equals("null") || text.equals("~"));
        }
    }

    record Sequence(Place place, List<YamlNode> items) implements YamlNode {}

    record Mapping(Place place, List<Entry> entries) implements YamlNode {}

    record Entry(Scalar key, YamlNode value) {}
}
