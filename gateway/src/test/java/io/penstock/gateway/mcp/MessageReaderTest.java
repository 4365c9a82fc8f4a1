package io.penstock.gateway.mcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageReaderTest {
    private static final int NESTING = 8;
    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                    + "\"params\":{\"name\":\"read\",\"arguments\":{\"a\":[1,-2.5e3,null,true]}}}";

    private final MessageReader reader = new MessageReader(NESTING);

    private Reading read(String text) {
        return reader.read(text.getBytes(UTF_8));
    }

    private Message single(String text) {
        return switch (read(text)) {
            case Reading.Single single -> single.message();
            case Reading.Batch batch -> throw new AssertionError("a batch: " + batch);
            case Reading.Refused refused -> throw new AssertionError(refused.reason());
        };
    }

    private Reading.Refused refused(byte[] body) {
        Reading reading = reader.read(body);
        assertThat(reading).isInstanceOf(Reading.Refused.class);
        return (Reading.Refused) reading;
    }

    private Reading.Refused refused(String text) {
        return refused(text.getBytes(UTF_8));
    }

    private static String request(String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":" + params + "}";
    }

    private static String arguments(String value) {
        return request("{\"name\":\"read\",\"arguments\":{\"a\":" + value + "}}");
    }

    @Test
    void read_call_findsWhatDecides() {
        Message message = single(CALL);

        assertThat(message.kind()).isEqualTo(Message.Kind.REQUEST);
        assertThat(message.method()).isEqualTo("tools/call");
        assertThat(message.name()).isEqualTo("read");
        assertThat(message.id()).asString(UTF_8).isEqualTo("7");
        assertThat(message.version()).isNull();
        assertThat(message.start()).isZero();
        assertThat(message.end()).isEqualTo(CALL.length());
    }

    @Test
    void read_keysInAnyOrder_findsWhatDecides() {
        Message message =
                single(
                        "\r\n\t {\"params\":{\"_meta\":{\"x\":1,"
                                + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"},"
                                + "\"uri\":\"file:///a\"},\"method\":\"resources/read\","
                                + "\"id\":\"a\\\"b\",\"jsonrpc\":\"2.0\"} ");

        assertThat(message.uri()).isEqualTo("file:///a");
        assertThat(message.version()).isEqualTo("2026-07-28");
        assertThat(message.id()).asString(UTF_8).isEqualTo("\"a\\\"b\"");
    }

    @Test
    void read_escapedKeysAndValues_areTakenForWhatTheyMean() {
        Message message =
                single(
                        "{\"jsonrpc\":\"2\\u002e0\",\"\\u0069d\":1,\"\\u006dethod\":\"tools\\/call\","
                            + "\"params\":{\"n\\u0061me\":\"r\\u00e9\\ud83d\\ude00\","
                            + "\"_meta\":{\"io.modelcontextprotocol\\/protocolVersion\":\"v\"}}}");

        assertThat(message.method()).isEqualTo("tools/call");
        assertThat(message.name()).isEqualTo("ré😀");
        assertThat(message.version()).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "9007199254740993", "\"\"", "\"x\"", "\"\\u0041é\""})
    void read_id_isKeptAsWritten(String id) {
        Message message = single("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"ping\"}");

        assertThat(message.id()).asString(UTF_8).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1.0", "1e2", "true", "[1]", "{}"})
    void read_idOfAnotherType_isRefused(String id) {
        Reading.Refused refused =
                refused("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"ping\"}");

        assertThat(refused.code()).isEqualTo(-32600);
        assertThat(refused.id()).isNull();
    }

    @Test
    void read_idTooLong_isRefused() {
        String id = "\"" + "x".repeat(MessageReader.ID_BYTES_MAX) + "\"";

        assertThat(refused("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"p\"}").reason())
                .contains("id is longer");
    }

    @Test
    void read_notification_hasNoId() {
        Message message = single("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");

        assertThat(message.kind()).isEqualTo(Message.Kind.NOTIFICATION);
        assertThat(message.id()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"METHOD\":1}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\"}}",
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"m\"}}"
            })
    void read_response_isOne(String text) {
        assertThat(single(text).kind()).isEqualTo(Message.Kind.RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"tools/call\"]}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"error\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
                "{\"jsonrpc\":\"2.0\",\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":1}}",
                "{}",
                "\"tools/call\"",
                "17",
                "null"
            })
    void read_jsonThatIsNoMessage_isInvalidRequest(String text) {
        assertThat(refused(text).code()).isEqualTo(-32600);
    }

    @Test
    void read_faultAfterTheId_namesTheRequest() {
        Reading.Refused refused = refused("{\"jsonrpc\":\"2.0\",\"id\":41,\"method\":5}");

        assertThat(refused.id()).asString(UTF_8).isEqualTo("41");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "not json",
                "{",
                "{\"jsonrpc\":\"2.0\"",
                "{\"jsonrpc\":\"2.0\",}",
                "{\"jsonrpc\" \"2.0\"}",
                "{jsonrpc:\"2.0\"}",
                "{'jsonrpc':'2.0'}",
                "{\"jsonrpc\":\"2.0\",,\"id\":1}",
                "{,\"id\":1}",
                "{1:1}",
                "{\"a\":[1,]}",
                "{\"a\":[,1]}",
                "{\"a\":[1 2]}",
                "{\"a\":tru}",
                "{\"a\":truex}",
                "{\"a\":True}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":-Infinity}",
                "{\"a\":undefined}",
                "{\"a\":01}",
                "{\"a\":-}",
                "{\"a\":+1}",
                "{\"a\":.5}",
                "{\"a\":1.}",
                "{\"a\":1e}",
                "{\"a\":1e+}",
                "{\"a\":0x10}",
                "{\"a\":1_000}",
                "{\"a\":1n}",
                "{\"a\":\"x}",
                "{\"a\":\"x\\\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\U0041\"}",
                "{\"a\":\"\\ud800\"}",
                "{\"a\":\"\\udc00\"}",
                "{\"a\":\"\\ud800\\ud800\"}",
                "{\"a\":\"\\ud800x\"}",
                "{\"\\ud800\":1}",
                "{\"a\":\"tab\there\"}",
                "{\"a\":\"line\nbreak\"}",
                "{\"a\":\"nul\u0000here\"}",
                "// comment\n{}",
                "{/* comment */}",
                "# comment\n{}",
                "\u00a0{}",
                "\u2028{}",
                "\f{}",
                "\u000b{}",
                "]"
            })
    void read_whatIsNotJson_isParseError(String text) {
        assertThat(refused(text).code()).isEqualTo(-32700);
    }

    @Test
    void read_trailingData_isParseError() {
        assertThat(refused(CALL + CALL).code()).isEqualTo(-32700);
        assertThat(refused(CALL + ",").code()).isEqualTo(-32700);
        assertThat(refused(CALL + "\n{}").code()).isEqualTo(-32700);
        assertThat(refused(CALL + "]").code()).isEqualTo(-32700);
        assertThat(refused(CALL + " null").code()).isEqualTo(-32700);
        assertThat(refused(CALL + "\0").code()).isEqualTo(-32700);
        assertThat(refused(CALL + "\u00a0").code()).isEqualTo(-32700);
        assertThat(read(CALL + " \r\n\t")).isInstanceOf(Reading.Single.class);
    }

    @Test
    void read_byteOrderMark_isParseError() {
        assertThat(refused("\ufeff" + CALL).reason()).contains("byte order mark");
        assertThat(refused(CALL.getBytes(UTF_16BE)).code()).isEqualTo(-32700);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u00c0\u00ae", // overlong '.'
                "\u00c1\u0081", // overlong 'A'
                "\u00e0\u0080\u00af", // overlong '/'
                "\u00f0\u0080\u0080\u00af", // overlong, four bytes
                "\u00ed\u00a0\u0080", // a high surrogate
                "\u00ed\u00bf\u00bf", // a low surrogate
                "\u00f4\u0090\u0080\u0080", // past U+10FFFF
                "\u00f5\u0080\u0080\u0080",
                "\u00fe",
                "\u00ff",
                "\u0080", // a continuation alone
                "\u00c3", // cut short by the quote
                "\u00e2\u0082",
                "\u00f0\u009f\u0098",
                "\u00c3\u0028"
            })
    void read_invalidUtf8_isParseError(String bytes) {
        String value = arguments("\"" + bytes + "\"");
        String key = arguments("{\"" + bytes + "\":1}");

        assertThat(refused(value.getBytes(ISO_8859_1)).code()).isEqualTo(-32700);
        assertThat(refused(key.getBytes(ISO_8859_1)).code()).isEqualTo(-32700);
        assertThat(refused((CALL + bytes).getBytes(ISO_8859_1)).code()).isEqualTo(-32700);
    }

    @Test
    void read_validUtf8_isAccepted() {
        for (String text :
                new String[] {"é", "߿", "ࠀ", "퟿", "\ue000", "\uffff", "😀", "\udbff\udfff"}) {
            assertThat(single(arguments("\"" + text + "\"")).name()).isEqualTo("read");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"m\\u0065thod\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{},\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"name\":1,\"name\":2}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":{\"b\":[{\"c\":1,\"c\":1}]}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"x\":{\"é\":1,\"\\u00e9\":2}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"x\":{\"\":1,\"\":2}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1,\"a\":1}}"
            })
    void read_keyTwice_isRefusedAtAnyDepth(String text) {
        assertThat(refused(text).code()).isEqualTo(-32600);
        assertThat(refused(text).reason()).contains("twice");
    }

    @Test
    void read_sameKeyInDifferentObjects_isAccepted() {
        assertThat(
                        single(
                                        arguments(
                                                "{\"x\":{\"x\":[{\"x\":1},{\"x\":2}]},\"name\":{\"x\":1}}"))
                                .name())
                .isEqualTo("read");
    }

    @Test
    void read_keyTwiceInLargeObject_isRefused() {
        StringBuilder keys = new StringBuilder("{");
        for (int i = 0; i < 2_000; i++) {
            keys.append("\"k").append(i).append("\":{\"k1\":1},");
        }
        String unique = keys + "\"last\":1}";
        String twice = keys + "\"k1234\":1}";
        String twiceEscaped = keys + "\"k\\u0031234\":1}";

        assertThat(single(arguments(unique)).name()).isEqualTo("read");
        assertThat(refused(arguments(twice)).reason()).contains("twice");
        assertThat(refused(arguments(twiceEscaped)).reason()).contains("twice");
    }

    @Test
    void read_moreKeysThanBound_isRefused() {
        StringBuilder keys = new StringBuilder("{\"k\":1");
        for (int i = 0; i < KeyStack.KEYS_MAX; i++) {
            keys.append(",\"").append(i).append("\":1");
        }

        assertThat(refused(arguments(keys + "}")).reason()).contains("keys in one object");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"METHOD\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"Method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"Method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"\\u004dethod\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"ID\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"İd\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"ıd\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"paramſ\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\\u017f\":{}}",
                "{\"JSONRPC\":\"2.0\",\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"Result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"ERROR\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"Name\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"URI\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"argumentſ\":{}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_META\":{}}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":"
                        + "{\"io.modelcontextprotocol/ProtocolVersion\":\"x\"}}}"
            })
    void read_keyThatDiffersInCaseOnly_isRefused(String text) {
        Reading.Refused refused = refused(text);

        assertThat(refused.code()).isEqualTo(-32600);
        assertThat(refused.reason()).contains("only in case");
    }

    /** No deciding key has a k, but a method may: the Kelvin sign is one to readers that fold. */
    @Test
    void fold_letterThatFoldsToAscii_isThatLetter() {
        assertThat(DecidingKeys.fold("tas\u212as/Li\u017ft")).isEqualTo("tasks/list");
    }

    @Test
    void read_caseVariantsBelowTheLevelsThatDecide_areAccepted() {
        assertThat(single(arguments("{\"Name\":1,\"NAME\":2,\"method\":3}")).name())
                .isEqualTo("read");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"method\\u0000x\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":{\"\\u0000\":1}}}"
            })
    void read_nulInKey_isRefused(String text) {
        assertThat(refused(text).reason()).contains("NUL");
    }

    @Test
    void read_nesting_isBounded() {
        // The message is 1 deep, params 2, arguments 3.
        String deepest = "[".repeat(NESTING - 3) + "]".repeat(NESTING - 3);

        assertThat(single(arguments(deepest)).name()).isEqualTo("read");
        assertThat(refused(arguments("[" + deepest + "]")).reason()).contains("nested deeper");
        assertThat(refused(arguments("[".repeat(1_000_000))).reason()).contains("nested deeper");
        assertThat(refused(arguments("{\"a\":".repeat(100_000))).reason()).contains("nested");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e309", "1E+309", "-1e-309", "1e99999999999999999999", "0e400"})
    void read_hugeExponent_isRefused(String number) {
        assertThat(refused(arguments(number)).reason()).contains("exponent");
    }

    @Test
    void read_longNumber_isRefused() {
        assertThat(single(arguments("9".repeat(JsonScanner.NUMBER_BYTES_MAX))).name())
                .isEqualTo("read");
        assertThat(refused(arguments("9".repeat(JsonScanner.NUMBER_BYTES_MAX + 1))).reason())
                .contains("a number of more than");
        assertThat(refused(arguments("0." + "1".repeat(JsonScanner.NUMBER_BYTES_MAX))).reason())
                .contains("a number of more than");
    }

    @Test
    void read_batch_findsEachMessageAndItsBytes() {
        String text =
                " [ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} ,\n"
                        + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]";

        Reading reading = read(text);

        assertThat(reading).isInstanceOf(Reading.Batch.class);
        Reading.Batch batch = (Reading.Batch) reading;
        assertThat(batch.messages()).hasSize(2);
        Message second = batch.messages().get(1);
        assertThat(second.kind()).isEqualTo(Message.Kind.NOTIFICATION);
        assertThat(text.substring(second.start(), second.end()))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[1]", "[[]]", "[null]", "[{}]"})
    void read_batchThatIsNone_isRefused(String text) {
        assertThat(refused(text).code()).isEqualTo(-32600);
    }

    @Test
    void read_batch_isBounded() {
        String message = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
        String most = message + ("," + message).repeat(MessageReader.BATCH_MAX - 1);

        assertThat(read("[" + most + "]")).isInstanceOf(Reading.Batch.class);
        assertThat(refused("[" + most + "," + message + "]").reason()).contains("a batch of more");
    }

    /** Every place where a run of eight bytes can begin or end, with each byte that ends it. */
    @Test
    void read_specialByteAtAnyOffset_isSeen() {
        for (int before = 0; before < 20; before++) {
            String run = "x".repeat(before);
            assertThat(refused(arguments("\"" + run + "\u0001" + run + "\"")).code())
                    .isEqualTo(-32700);
            assertThat(single(request("{\"name\":\"" + run + "\\\\" + run + "\"}")).name())
                    .isEqualTo(run + "\\" + run);
            assertThat(single(request("{\"name\":\"" + run + "é" + run + "\"}")).name())
                    .isEqualTo(run + "é" + run);
            assertThat(single(request("{\"name\":\"" + run + "\\\"" + run + "\"}")).name())
                    .isEqualTo(run + "\"" + run);
        }
    }

    @Test
    void read_bodyCutAnywhere_isRefused() {
        for (int length = 0; length < CALL.length(); length++) {
            assertThat(refused(CALL.substring(0, length)).code()).isEqualTo(-32700);
        }
    }
}
