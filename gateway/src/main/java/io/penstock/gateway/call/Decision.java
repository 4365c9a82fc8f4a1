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
     * @param warnings budgets that would have refused the call and only warn
     */
    record Pass(
            Target target,
            Upstream.Permission.Granted permission,
            Verdict.@Nullable Admitted admitted,
            List<String> warnings)
            implements Decision {

        /** Of a call that no budget warns of. */
        Pass(
                Target target,
                Upstream.Permission.Granted permission,
                Verdict.@Nullable Admitted admitted) {
            this(target, permission, admitted, List.of());
        }

        List<Standing> standings() {
            return admitted == null ? List.of() : admitted.standings();
        }
    }

    /** Is not let through. */
    record Refuse(Refusal refusal, List<Standing> standings, boolean journaled)
            implements Decision {}
}
