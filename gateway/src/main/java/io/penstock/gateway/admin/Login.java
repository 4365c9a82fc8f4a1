package io.penstock.gateway.admin;

import io.penstock.gateway.http.InboundRequest;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Says who an operator is, and turns away who may not do what he asks. */
final class Login {
    private static final System.Logger LOG = System.getLogger(Login.class.getName());
    private static final String SCHEME = "Bearer ";
    private static final String CHALLENGE = "Bearer realm=\"penstock-admin\"";
    private static final int TOKEN_MAX = 512;

    /** Who may, or the answer to who may not. */
    sealed interface Outcome {
        record Known(AdminToken token) implements Outcome {}

        record TurnedAway(Answer answer) implements Outcome {}
    }

    private final @Nullable TokensFile tokens;
    private final FailedLogins failed;

    /**
     * @param tokens null where there is no file: then nobody may
     */
    Login(@Nullable TokensFile tokens, FailedLogins failed) {
        this.tokens = tokens;
        this.failed = failed;
    }

    Outcome check(InboundRequest request, Role needed) {
        if (tokens == null) {
            return new Outcome.TurnedAway(
                    Answer.problem(
                            403,
                            "closed",
                            "This replica has no admin.tokens-file: its operators' API is"
                                    + " closed."));
        }
        String credential = credential(request);
        AdminToken token = credential == null ? null : tokens.find(credential);
        if (token == null) {
            return new Outcome.TurnedAway(unknown(request, credential != null));
        }
        if (!token.role().includes(needed)) {
            return new Outcome.TurnedAway(
                    Answer.problem(
                            403,
                            "role",
                            "This needs the role "
                                    + needed.word()
                                    + ", the token has "
                                    + token.role().word()
                                    + "."));
        }
        return new Outcome.Known(token);
    }

    private static @Nullable String credential(InboundRequest request) {
        String line = request.headers().first("Authorization");
        if (line == null
                || request.headers().count("Authorization") > 1
                || line.length() > SCHEME.length() + TOKEN_MAX
                || !line.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        return line.substring(SCHEME.length()).trim();
    }

    private Answer unknown(InboundRequest request, boolean tried) {
        if (!tried) {
            return Answer.problem(
                            401,
                            "unauthenticated",
                            "A token is needed: Authorization: Bearer TOKEN.")
                    .with("WWW-Authenticate", CHALLENGE);
        }
        if (failed.tooMany(request.peer())) {
            return Answer.problem(
                            429, "too-many-failures", "Too many tokens that are not known; wait.")
                    .with("Retry-After", Long.toString(FailedLogins.WINDOW_NANOS / 1_000_000_000));
        }
        LOG.log(Level.WARNING, "event=admin-login-failed peer={0}", request.peer());
        return Answer.problem(401, "unauthenticated", "The token is not known.")
                .with("WWW-Authenticate", CHALLENGE + ", error=\"invalid_token\"");
    }
}
