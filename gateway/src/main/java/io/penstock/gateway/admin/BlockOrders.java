package io.penstock.gateway.admin;

import io.penstock.gateway.http.InboundRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Takes an order to block an agent for a while. */
final class BlockOrders {
    private static final System.Logger LOG = System.getLogger(BlockOrders.class.getName());
    private static final Set<String> MEMBERS = Set.of("tenant", "agent", "seconds", "reason");
    private static final Pattern TENANT = Pattern.compile("[A-Za-z0-9._-]{1,128}");
    private static final int NAME_MAX = 256;
    private static final int REASON_MAX = 1000;

    private final BlockGiver giver;

    BlockOrders(BlockGiver giver) {
        this.giver = giver;
    }

    Answer give(InboundRequest request, String actor) {
        JsonBody body = JsonBody.of(request, MEMBERS);
        String tenant = body.text("tenant", NAME_MAX);
        if (!TENANT.matcher(tenant).matches()) {
            throw new BadRequestException("a tenant is 1 to 128 of A-Z a-z 0-9 . _ -");
        }
        long seconds = body.number("seconds", 1, BlockGiver.LENGTH_MAX.toSeconds(), 0);
        BlockGiver.Order order =
                new BlockGiver.Order(
                        tenant,
                        body.text("agent", NAME_MAX),
                        Duration.ofSeconds(seconds),
                        body.text("reason", REASON_MAX),
                        actor);
        Instant end;
        try {
            end = giver.block(order);
        } catch (RuntimeException e) {
            throw new Queries.Unavailable("the block is not known to be recorded; repeat it", e);
        }
        LOG.log(
                Level.WARNING,
                "event=block-given actor={0} tenant={1} agent=\"{2}\" until={3} reason=\"{4}\"",
                actor,
                tenant,
                order.agent(),
                end,
                order.reason());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("tenant", tenant);
        answer.put("agent", order.agent());
        answer.put("expiresAt", end.toString());
        return Answer.json(201, answer);
    }
}
