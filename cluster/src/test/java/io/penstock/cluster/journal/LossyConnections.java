package io.penstock.cluster.journal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections that lose the answer of every other query after it was carried out. */
final class LossyConnections {
    private LossyConnections() {}

    static Connection losing(Connection real, AtomicInteger calls) {
        return proxy(
                Connection.class,
                real,
                (name, result) ->
                        name.equals("prepareStatement") && result instanceof PreparedStatement s
                                ? statement(s, calls)
                                : result);
    }

    private static PreparedStatement statement(PreparedStatement real, AtomicInteger calls) {
        return proxy(
                PreparedStatement.class,
                real,
                (name, result) -> {
                    if (name.equals("executeQuery") && calls.incrementAndGet() % 2 == 0) {
                        throw new SQLException("answer lost", "08006");
                    }
                    return result;
                });
    }

    @FunctionalInterface
    private interface After {
        Object apply(String method, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T real, After after) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                Object result = method.invoke(real, arguments);
                                return result == null
                                        ? null
                                        : after.apply(method.getName(), result);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }
}
