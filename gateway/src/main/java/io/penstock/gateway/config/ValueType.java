package io.penstock.gateway.config;

import java.util.List;
import java.util.regex.Pattern;

/** What a key's value looks like: the reader checks by it, and the reference page shows it. */
sealed interface ValueType {

    /** As the reference page says it. */
    String describe();

    /** A duration, bounds included. */
    record Span(String least, String most) implements ValueType {
        @Override
        public String describe() {
            return "duration, `" + least + "` to `" + most + "`";
        }
    }

    /** A size, bounds included. */
    record Size(String least, String most) implements ValueType {
        @Override
        public String describe() {
            return "size, `" + least + "` to `" + most + "`";
        }
    }

    /** A whole number, bounds included. */
    record Whole(long least, long most) implements ValueType {
        @Override
        public String describe() {
            return "whole number, " + least + " to " + most;
        }
    }

    /** One of some words. */
    record Choice(List<String> words) implements ValueType {
        static Choice of(String... words) {
            return new Choice(List.of(words));
        }

        @Override
        public String describe() {
            return String.join(" or ", words.stream().map(word -> "`" + word + "`").toList());
        }
    }

    /** Text of a form. */
    record Text(Pattern pattern, String form) implements ValueType {
        static Text of(String pattern, String form) {
            return new Text(Pattern.compile(pattern), form);
        }

        @Override
        public String describe() {
            return form;
        }
    }

    /** A file that must be there and readable; relative to the configuration file's folder. */
    record ReadFile() implements ValueType {
        @Override
        public String describe() {
            return "file";
        }
    }

    /** A file that is written: its folder must be there. */
    record WrittenFile() implements ValueType {
        @Override
        public String describe() {
            return "file, in a folder that exists";
        }
    }

    /** Text that is never shown. */
    record Hidden() implements ValueType {
        @Override
        public String describe() {
            return "secret text";
        }
    }

    /** Keys of its own, or items. */
    record Group(String form) implements ValueType {
        @Override
        public String describe() {
            return form;
        }
    }
}
