package io.penstock.cluster.admission;

import java.sql.SQLException;
import java.util.UUID;

/** This incarnation was fenced or closed: it can never admit again. */
public final class IncarnationOverException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** Names the incarnation that is over. */
    public IncarnationOverException(UUID incarnation) {
        super("incarnation " + incarnation + " is over");
    }
}
