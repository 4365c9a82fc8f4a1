package io.penstock.gateway.upstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** A wire without a socket: gives scripted bytes in scripted pieces, and records writes. */
final class ScriptedWire implements Wire {
    private final byte[] answer;
    private final IntUnaryOperator pieces;
    private int at;
    private int reads;
    final List<Integer> writes = new ArrayList<>();
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    @Nullable IOException writeFailure;
    int writeMost = Integer.MAX_VALUE;
    boolean failsWhole = true;
    boolean closed;

    /** Whether a close is known without asking. */
    boolean closeSeen;

    /**
     * @param pieces from the number of the read, beginning at 0, to the most bytes it may give
     */
    ScriptedWire(String answer, IntUnaryOperator pieces) {
        this.answer = answer.getBytes(StandardCharsets.ISO_8859_1);
        this.pieces = pieces;
    }

    static ScriptedWire whole(String answer) {
        return new ScriptedWire(answer, read -> Integer.MAX_VALUE);
    }

    @Override
    public int read(ByteBuffer into) {
        if (at == answer.length) {
            return -1;
        }
        int most = Math.min(pieces.applyAsInt(reads++), into.remaining());
        int given = Math.min(most, answer.length - at);
        into.put(answer, at, given);
        at += given;
        return given;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (writeFailure != null && (writeMost == Integer.MAX_VALUE || !writes.isEmpty())) {
            throw writeFailure;
        }
        byte[] taken = new byte[Math.min(writeMost, from.remaining())];
        from.get(taken);
        written.write(taken);
        writes.add(taken.length);
        return taken.length;
    }

    @Override
    public boolean failsWhole() {
        return failsWhole;
    }

    @Override
    public boolean quiet() {
        return !closed;
    }

    @Override
    public boolean silent() {
        return !closeSeen;
    }

    @Override
    public void close() {
        closed = true;
    }

    int leftOver() {
        return answer.length - at;
    }
}
