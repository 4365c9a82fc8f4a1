package io.penstock.cluster.admission;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads a {@code bigint[]} from the bytes it came in. The driver would make an object of every
 * number.
 */
final class LongArrays {
    private static final int HEADER_BYTES = 20;
    private static final int ELEMENT_BYTES = Integer.BYTES + Long.BYTES;

    private LongArrays() {}

    /** Runs a statement whose one row has one such array. */
    static long[] one(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new IllegalStateException("no row came back");
            }
            return parse(row.getBytes(1));
        }
    }

    /**
     * Dimensions, null flag, element type, length, lower bound; then each element after its size.
     */
    static long[] parse(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < HEADER_BYTES || in.getInt(0) != 1 || in.getInt(4) != 0) {
            throw new IllegalStateException("not a binary array of numbers without nulls");
        }
        int length = in.getInt(12);
        if (bytes.length != HEADER_BYTES + length * ELEMENT_BYTES) {
            throw new IllegalStateException(
                    "%d numbers do not fill %d bytes".formatted(length, bytes.length));
        }
        long[] numbers = new long[length];
        for (int i = 0; i < length; i++) {
            numbers[i] = in.getLong(HEADER_BYTES + i * ELEMENT_BYTES + Integer.BYTES);
        }
        return numbers;
    }
}
