package io.penstock.gateway.config;

/** What {@code /health/ready} means. */
public enum Readiness {
    /** Ready to answer: booted and not draining, though the answer may be a refusal. */
    ANSWER,
    /** Ready to admit: the same as {@code /health/admit}. */
    ADMIT
}
