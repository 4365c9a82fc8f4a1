package io.penstock.cluster.control;

/**
 * What a replica says of itself in each beat.
 *
 * @param version of the program
 * @param dataAddress where agents reach it
 * @param adminAddress where its admin API answers
 * @param configHash over the parts of its configuration that each replica has for itself
 */
public record Announcement(
        String version, String dataAddress, String adminAddress, String configHash) {}
