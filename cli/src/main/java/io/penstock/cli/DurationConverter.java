package io.penstock.cli;

import io.penstock.gateway.config.Quantity;
import java.time.Duration;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations on the command line are written as in the configuration. */
final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String value) {
        OptionalLong nanos = Quantity.nanos(value);
        if (nanos.isEmpty()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a duration such as 250ms, 10s, 5m, 24h");
        }
        return Duration.ofNanos(nanos.getAsLong());
    }
}
