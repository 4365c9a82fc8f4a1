package io.penstock.gateway.config;

import io.penstock.gateway.config.ListenConfig.ServerTls;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads a listener: an address, or an object with address and TLS. */
final class ListenReader {
    private static final int PORT_MAX = 65_535;

    private final Section parent;
    private final String name;

    ListenReader(Section parent, String name) {
        this.parent = parent;
        this.name = name;
    }

    /**
     * @param shareable whether several processes may share the port
     */
    ListenConfig read(boolean shareable) {
        if (parent.isScalar(name) || !parent.has(name)) {
            return address(parent, name, false, null);
        }
        Section section = parent.section(name);
        boolean share = shareable && section.flag("share");
        ServerTls tls = section.has("tls") ? tls(section.section("tls")) : null;
        ListenConfig listen = address(section, "address", share, tls);
        if (share && listen.port() == 0) {
            section.problem("share", section.label("share") + ": port 0 cannot be shared");
        }
        return listen;
    }

    private ListenConfig address(
            Section section, String key, boolean share, @Nullable ServerTls tls) {
        String text = section.text(key);
        String address = text == null ? "127.0.0.1:0" : text;
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
        int port = Integer.parseInt(address.substring(colon + 1));
        if (port > PORT_MAX) {
            section.problem(key, section.label(key) + ": port " + port + " is above " + PORT_MAX);
        }
        return new ListenConfig(host, Math.min(port, PORT_MAX), share, tls);
    }

    private static @Nullable ServerTls tls(Section tls) {
        tls.requirePresence("cert");
        tls.requirePresence("key");
        Path certificate = tls.file("cert");
        Path key = tls.file("key");
        Path clientCa = tls.file("client-ca");
        boolean required = tls.choice("client-auth").equals("required");
        if (tls.has("client-auth") && !tls.has("client-ca")) {
            tls.problem("client-auth", tls.label("client-auth") + " needs client-ca");
        }
        return certificate == null || key == null
                ? null
                : new ServerTls(certificate, key, clientCa, clientCa != null && required);
    }
}
