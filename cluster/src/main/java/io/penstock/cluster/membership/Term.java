package io.penstock.cluster.membership;

import io.penstock.cluster.control.Incarnation;

/**
 * One incarnation's leadership of one duty.
 *
 * @param number grows with each new leader of the duty
 */
public record Term(String duty, Incarnation holder, long number) {}
