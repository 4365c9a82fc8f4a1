package io.penstock.gateway.call;

import io.penstock.budget.Standing;
import io.penstock.cluster.admission.Verdict;
import io.penstock.gateway.upstream.Upstream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the stages before the upstream make of a call. */
sealed interface Decision {

    /**
     * May be sent. Only {@link CallPath} makes one, and only from a verdict that admits the call or
     * for a message that budgets do not count.
     *
     * @param admitted null where nothing was charged and nothing was journaled
     */
    record Pass(
            Target target,
            Upstream.Permission.Granted permission,
            Verdict.@Nullable Admitted admitted)
            implements Decision {

        List<Standing> standings() {
            return admitted == null ? List.of() : admitted.standings();
        }
    }

    /** Is not let through. */
    record Refuse(Refusal refusal, List<Standing> standings, boolean journaled)
            implements Decision {}
}
