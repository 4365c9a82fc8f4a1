package io.penstock.gateway.admin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The operators' tokens, read again when they are asked for and the last reading is {@link
 * #FRESH_NANOS} old.
 *
 * <p><b>Failure.</b> A file with a fault leaves the tokens as they were and says so once, because
 * an editor's half-written file must not take the stop away; a file that is gone means no tokens.
 *
 * <p><b>Threads.</b> Safe for concurrent use. The monitor guards all fields; a small file is read
 * under it.
 */
final class TokensFile {
    static final long FRESH_NANOS = 5_000_000_000L;

    private static final int BYTES_MAX = 1024 * 1024;
    private static final System.Logger LOG = System.getLogger(TokensFile.class.getName());

    private final Path path;
    private final LongSupplier ticker;
    private List<AdminToken> tokens;
    private byte[] seen;
    private boolean faulty;
    private long readNanos;

    /**
     * @throws IllegalArgumentException if it cannot be read or has a fault
     */
    TokensFile(Path path, LongSupplier ticker) {
        this.path = path;
        this.ticker = ticker;
        readNanos = ticker.getAsLong();
        try {
            seen = bytes();
            tokens = parse(seen);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "admin tokens file " + path + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** Whose token it is; looks at all of them, so that the time does not tell how far it got. */
    @Nullable AdminToken find(String token) {
        byte[] digest = AdminToken.digest(token);
        AdminToken found = null;
        for (AdminToken each : current()) {
            if (each.matches(digest)) {
                found = each;
            }
        }
        return found;
    }

    private synchronized List<AdminToken> current() {
        long now = ticker.getAsLong();
        if (now - readNanos >= FRESH_NANOS) {
            readNanos = now;
            refresh();
        }
        return tokens;
    }

    private void refresh() {
        try {
            byte[] now = bytes();
            if (Arrays.equals(now, seen) && !faulty) {
                return;
            }
            tokens = parse(now);
            seen = now;
            faulty = false;
            LOG.log(Level.INFO, "event=tokens-file-read path={0} tokens={1}", path, tokens.size());
        } catch (NoSuchFileException e) {
            tokens = List.of();
            fault("it is gone, nobody can log in");
        } catch (IOException | IllegalArgumentException e) {
            fault(e.getMessage() + ", the former tokens stay");
        }
    }

    private void fault(String reason) {
        if (!faulty) {
            faulty = true;
            LOG.log(
                    Level.WARNING,
                    "event=tokens-file-faulty path={0} reason=\"{1}\"",
                    path,
                    reason);
        }
    }

    private byte[] bytes() throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new IllegalArgumentException("more than " + BYTES_MAX + " bytes");
            }
            return bytes;
        }
    }

    private static List<AdminToken> parse(byte[] bytes) {
        try {
            return TokensYaml.read(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not UTF-8", e);
        }
    }
}
