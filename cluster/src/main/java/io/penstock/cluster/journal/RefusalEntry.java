package io.penstock.cluster.journal;

import io.penstock.budget.Subject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A call that was not let through, for the journal.
 *
 * @param code the refusal code's label
 * @param budget the budget that refused, where one did
 */
public record RefusalEntry(UUID call, Subject subject, String code, @Nullable String budget) {}
