package io.penstock.cluster.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps latched stops over restarts, in one small JSON file that is replaced whole.
 *
 * <p><b>Guarantee.</b> After {@link #write} returns, the new content survives a crash of the
 * machine; before, the old one does.
 */
final class LatchFile {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int VERSION = 1;
    private static final UUID NO_ID = new UUID(0, 0);

    private final Path path;

    LatchFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * What the file holds.
     *
     * @param unreadable a stop of everything that stands for what could not be read, or null
     */
    record Content(List<StopOrder> orders, @Nullable Stop unreadable) {}

    Content read() {
        try {
            JsonNode root = JSON.readTree(Files.readAllBytes(path));
            if (root.path("version").asInt() != VERSION) {
                return unreadable("its version is not " + VERSION);
            }
            if (!root.path("orders").isArray()) {
                return unreadable("it has no list of orders");
            }
            List<StopOrder> orders = new ArrayList<>();
            for (JsonNode order : root.path("orders")) {
                orders.add(order(order));
            }
            return new Content(orders, null);
        } catch (NoSuchFileException e) {
            return new Content(List.of(), null);
        } catch (IOException | IllegalArgumentException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
    }

    void write(List<StopOrder> orders) throws IOException {
        ObjectNode root = JSON.createObjectNode().put("version", VERSION);
        ArrayNode list = root.putArray("orders");
        orders.forEach(order -> put(list.addObject(), order));
        Path next = path.resolveSibling(path.getFileName() + ".next");
        try (FileChannel channel =
                FileChannel.open(
                        next,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(root));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static StopOrder order(JsonNode n) {
        List<StopOrder.Target> targets = new ArrayList<>();
        for (JsonNode t : n.path("targets")) {
            targets.add(
                    new StopOrder.Target(
                            UUID.fromString(t.path("id").asText()),
                            Scope.parse(t.path("kind").asText(), t.path("value").textValue())));
        }
        return new StopOrder(
                targets,
                n.path("reason").asText(),
                n.path("actor").asText(),
                n.path("drain").asBoolean(),
                n.path("showReason").asBoolean());
    }

    private static void put(ObjectNode n, StopOrder order) {
        n.put("reason", order.reason())
                .put("actor", order.actor())
                .put("drain", order.drain())
                .put("showReason", order.showReason());
        ArrayNode targets = n.putArray("targets");
        for (StopOrder.Target target : order.targets()) {
            targets.addObject()
                    .put("id", target.id().toString())
                    .put("kind", target.scope().kind())
                    .put("value", target.scope().value());
        }
    }

    private Content unreadable(String why) {
        String reason = "the latch file " + path + " cannot be read: " + why;
        return new Content(
                List.of(), new Stop(NO_ID, new Scope.All(), reason, "penstock", 0, false, false));
    }
}
