package io.penstock.cluster.control;

import io.penstock.budget.Subject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the block of an agent.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class BlockIndex {
    private final List<Block> blocks;
    private final Map<String, Map<String, Judgement.Blocked>> agents = new HashMap<>();

    BlockIndex(List<Block> blocks) {
        this.blocks = List.copyOf(blocks);
        for (Block block : blocks) {
            agents.computeIfAbsent(block.tenant(), tenant -> new HashMap<>())
                    .put(block.agent(), new Judgement.Blocked(block));
        }
    }

    List<Block> blocks() {
        return blocks;
    }

    Judgement.@Nullable Blocked find(Subject subject, long nowNanos) {
        Map<String, Judgement.Blocked> ofTenant = agents.get(subject.tenant());
        if (ofTenant == null) {
            return null;
        }
        Judgement.Blocked blocked = ofTenant.get(subject.agent());
        return blocked != null && nowNanos - blocked.block().untilNanos() < 0 ? blocked : null;
    }
}
