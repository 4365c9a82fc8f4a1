package io.penstock.cluster.operator;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.store.KeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Makes, lists and revokes agents' API keys.
 *
 * <p><b>Guarantee.</b> A revocation is confirmed like a stop: {@link Result#CONFIRMED} means that
 * no replica lets the key in any more.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 */
public final class Keys {
    private final Connector connector;
    private final LongSupplier ticker;

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public Keys(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    /** Stores a key's digest. Returns the epoch from which on replicas know the key. */
    public long add(KeyStore.NewKey key, String actor) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return KeyStore.add(connection, key, actor);
        }
    }

    /** All keys, revoked ones too. */
    public List<KeyStore.Listed> list() throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return KeyStore.list(connection);
        }
    }

    /** Who revokes what, and why. */
    public record Revocation(String id, String reason, String actor) {}

    /** Revokes a key and waits until every replica has forgotten it. */
    public ChangeReport revoke(Revocation revocation, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            long sent = session.now();
            OptionalLong epoch =
                    session.untilKnown(
                            c ->
                                    KeyStore.revoke(
                                            c,
                                            revocation.id(),
                                            revocation.reason(),
                                            revocation.actor()),
                            sent + patience.atMost().toNanos(),
                            progress);
            return epoch.isEmpty()
                    ? ChangeReport.notRecorded("there is no key " + revocation.id())
                    : ChangeReport.await(session, epoch.getAsLong(), sent, patience, progress);
        } catch (OrderSession.Failed e) {
            return ChangeReport.notRecorded(String.valueOf(e.getMessage()));
        }
    }
}
