package io.penstock.gateway.admin;

import io.penstock.gateway.config.SecretList;
import java.util.List;
import java.util.Set;

/** Reads the list {@code - { id, sha256, role }}. */
final class TokensYaml {
    private static final SecretList LIST = new SecretList("token", Set.of("role"), 1_000);

    private TokensYaml() {}

    /**
     * @throws IllegalArgumentException naming the line of the first fault, and no value but an id
     */
    static List<AdminToken> read(String text) {
        return LIST.read(text).stream().map(TokensYaml::token).toList();
    }

    private static AdminToken token(SecretList.Entry entry) {
        String word = entry.field("role");
        for (Role role : Role.values()) {
            if (role.word().equals(word)) {
                return new AdminToken(entry.id(), entry.sha256(), role);
            }
        }
        throw entry.fault("a role is view, operate or stop");
    }
}
