package io.penstock.gateway.identity;

import io.penstock.cluster.control.AgentKey;
import io.penstock.gateway.config.SecretList;
import java.util.List;
import java.util.Set;

/** Reads the list {@code - { id, sha256, tenant, agent }}. */
final class KeysYaml {
    /** The file's size bounds the keys. */
    private static final SecretList LIST =
            new SecretList("key", Set.of("tenant", "agent"), Integer.MAX_VALUE);

    private KeysYaml() {}

    /**
     * @throws KeysFileException naming the line of the first fault
     */
    static List<AgentKey> read(String text) {
        try {
            return LIST.read(text).stream().map(KeysYaml::key).toList();
        } catch (IllegalArgumentException e) {
            throw new KeysFileException(String.valueOf(e.getMessage()), e);
        }
    }

    private static AgentKey key(SecretList.Entry entry) {
        String tenant = entry.field("tenant");
        String agent = entry.field("agent");
        if (!Names.plain(tenant)) {
            throw entry.fault("a tenant is a name of [A-Za-z0-9._-], 1 to 128 long");
        }
        if (!Names.printable(agent)) {
            throw entry.fault("agent is printable text of 1 to 256 bytes");
        }
        return new AgentKey(entry.id(), entry.sha256(), tenant, agent);
    }
}
