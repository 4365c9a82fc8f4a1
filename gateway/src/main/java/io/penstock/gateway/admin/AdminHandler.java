package io.penstock.gateway.admin;

import io.penstock.gateway.admin.StatusSource.View;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Answers the admin plane's requests: finds the operation, checks who asks, does it. */
final class AdminHandler implements RequestHandler {
    private static final System.Logger LOG = System.getLogger(AdminHandler.class.getName());
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Login login;
    private final Health health;
    private final Meters meters;
    private final StatusPages pages;
    private final StopOrders stops;
    private final BlockOrders blocks;
    private final byte[] index = Resources.read("index.html");
    private final byte[] description = Resources.read("openapi.json");

    AdminHandler(Login login, Health health, Meters meters, StatusPages pages, Orders orders) {
        this.login = login;
        this.health = health;
        this.meters = meters;
        this.pages = pages;
        stops = orders.stops();
        blocks = orders.blocks();
    }

    /** What changes something. */
    record Orders(StopOrders stops, BlockOrders blocks) {}

    @Override
    public void handle(InboundRequest request, Reply reply) {
        answer(request).send(reply);
    }

    private Response answer(InboundRequest request) {
        try {
            return route(request);
        } catch (BadRequestException e) {
            return Answer.problem(400, "bad-request", String.valueOf(e.getMessage()));
        } catch (Queries.Unavailable e) {
            LOG.log(Level.DEBUG, "event=admin-unavailable target={0}", request.target(), e);
            return Answer.problem(503, "unavailable", String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "event=admin-failed target=" + path(request), e);
            return Answer.problem(500, "failed", "This replica failed to answer; see its log.");
        }
    }

    private Response route(InboundRequest request) {
        String path = path(request);
        String method = request.method().equals("HEAD") ? "GET" : request.method();
        List<String> allowed = new ArrayList<>();
        for (Operation operation : Operation.values()) {
            if (operation.at(path)) {
                if (operation.method().equals(method)) {
                    return checked(operation, request);
                }
                allowed.add(operation.method());
            }
        }
        if (allowed.isEmpty()) {
            return Answer.problem(
                    404, "unknown-path", "There is nothing here; see /v1/openapi.json.");
        }
        return Answer.problem(405, "method", "This path knows " + String.join(", ", allowed) + ".")
                .with("Allow", String.join(", ", allowed));
    }

    private static String path(InboundRequest request) {
        int query = request.target().indexOf('?');
        return query < 0 ? request.target() : request.target().substring(0, query);
    }

    private Response checked(Operation operation, InboundRequest request) {
        Role role = operation.role();
        if (role == null) {
            return open(operation);
        }
        return switch (login.check(request, role)) {
            case Login.Outcome.TurnedAway away -> away.answer();
            case Login.Outcome.Known known ->
                    known(operation, request, "token:" + known.token().id());
        };
    }

    private Answer open(Operation operation) {
        return switch (operation) {
            case INDEX ->
                    Answer.of(200, "text/html; charset=utf-8", index)
                            .with(
                                    "Content-Security-Policy",
                                    "default-src 'none'; style-src 'unsafe-inline';"
                                            + " frame-ancestors 'none'; base-uri 'none'")
                            .with("Referrer-Policy", "no-referrer");
            case LIVE -> health.live();
            case READY -> health.ready();
            case ADMIT -> health.admit();
            case METRICS ->
                    Answer.of(200, METRICS_TYPE, meters.scrape().getBytes(StandardCharsets.UTF_8));
            case DESCRIPTION -> Answer.of(200, "application/json", description);
            case STATUS,
                    STOPS,
                    GIVE_STOP,
                    LIFT_STOP,
                    BUDGETS,
                    EXPLAIN,
                    HOLDS,
                    RESET_BUDGET,
                    BLOCKS,
                    GIVE_BLOCK,
                    END_BLOCK,
                    REVISIONS ->
                    throw new IllegalStateException(operation + " needs a token");
        };
    }

    private Response known(Operation operation, InboundRequest request, String actor) {
        return switch (operation) {
            case STATUS -> pages.status();
            case STOPS -> pages.stops();
            case GIVE_STOP -> stops.give(request, actor);
            case LIFT_STOP -> needsDatabase("Lifting a stop", "penstock resume ID --reason R");
            case BUDGETS -> pages.rows("budgets", View.BUDGETS);
            case EXPLAIN -> pages.explain(Question.of(request));
            case HOLDS -> pages.rows("holds", View.HOLDS);
            case RESET_BUDGET ->
                    needsDatabase(
                            "Starting a budget over", "penstock budgets reset NAME --reason R");
            case BLOCKS -> pages.rows("blocks", View.BLOCKS);
            case GIVE_BLOCK -> blocks.give(request, actor);
            case END_BLOCK -> needsDatabase("Ending a block early", "penstock unblock T/A");
            case REVISIONS -> pages.rows("revisions", View.REVISIONS);
            case INDEX, LIVE, READY, ADMIT, METRICS, DESCRIPTION -> open(operation);
        };
    }

    private static Answer needsDatabase(String what, String command) {
        return Answer.problem(
                403,
                "needs-database-credential",
                what
                        + " needs the operator's database credential, which no replica has: use `"
                        + command
                        + "`.");
    }
}
