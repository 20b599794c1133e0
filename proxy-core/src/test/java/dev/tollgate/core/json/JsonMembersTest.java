package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Offsets of an object's members, and refused documents. */
class JsonMembersTest {
  @Test
  void membersAreFoundWhereTheyStand() throws InvalidJson {
    String text = " { \"a\" : 1.50 ,\"b\":[ 1 ],\"a\":\"x\" } ";
    JsonMembers members = read(text);
    assertThat(members.size()).isEqualTo(3);
    assertThat(members.objectStart()).isEqualTo(1);
    assertThat(members.objectEnd()).isEqualTo(text.length() - 1);
    assertThat(members.nameStart(0)).isEqualTo(3);
    assertThat(members.nameEnd(0)).isEqualTo(6);
    assertThat(members.valueStart(0)).isEqualTo(9);
    assertThat(members.valueEnd(0)).isEqualTo(13);
    assertThat(members.text(0)).isEqualTo("1.50");
    assertThat(members.text(1)).isEqualTo("[ 1 ]");
    assertThat(members.string(2)).isEqualTo("x");
    assertThat(members.count("a")).isEqualTo(2);
    assertThat(members.indexOf("a")).isZero();
    assertThat(members.indexOf("a", 1)).isEqualTo(2);
    assertThat(members.indexOf("c")).isEqualTo(-1);
  }

  @Test
  void kindsAreRecognized() throws InvalidJson {
    JsonMembers members =
        read("{\"a\":\"\",\"b\":-1,\"c\":true,\"d\":false,\"e\":null,\"f\":{},\"g\":[]}");
    assertThat(IntStream.range(0, members.size()).mapToObj(members::kind).toList())
        .containsExactly(JsonKind.values());
    assertThat(members.isEmptyString(0)).isTrue();
    assertThat(members.isEmptyString(1)).isFalse();
  }

  @Test
  void namesCompareDecoded() throws InvalidJson {
    String escapedLetter = "\\" + "u006d";
    JsonMembers members = read("{\"" + escapedLetter + "odel\":1,\"mode\":2,\"models\":3,\"é\":4}");
    assertThat(members.indexOf("model")).isZero();
    assertThat(members.count("model")).isEqualTo(1);
    assertThat(members.name(0)).isEqualTo("model");
    assertThat(members.indexOf("é")).isEqualTo(3);
    assertThat(members.isName(3, "e")).isFalse();
  }

  @Test
  void stringsAreDecoded() throws InvalidJson {
    JsonMembers members = read("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é\\ud83d\\ude00\"}");
    assertThat(members.string(0)).isEqualTo("\"\\/\b\f\n\r\téé\uD83D\uDE00");
    assertThat(members.isString(0, "\"\\/\b\f\n\r\téé\uD83D\uDE00")).isTrue();
  }

  @Test
  void integersAreReadWhereTheyFit() throws InvalidJson {
    assertThat(integer("0")).isZero();
    assertThat(integer("-12")).isEqualTo(-12);
    assertThat(integer("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(integer("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    for (String other :
        new String[] {
          "9223372036854775808",
          "-9223372036854775809",
          "99999999999999999999999",
          "1.5",
          "1e400",
          "\"1\"",
          "null"
        }) {
      assertThat(integer(other)).as(other).isEqualTo(-77);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "16.0, 16",
    "1e2, 100",
    "1E+2, 100",
    "100e-2, 1",
    "1.20e1, 12",
    "-16.0, -16",
    "-0.0, 0",
    "0e999999999999999999999, 0",
    "0.0001e4, 1",
    "9223372036854775807.0, 9223372036854775807",
    "-9223372036854775808.0, -9223372036854775808",
    "92233720368547758070e-1, 9223372036854775807",
    "1e18, 1000000000000000000",
    "1.5, -77",
    "1e19, -77",
    "1e400, -77",
    "1e-1, -77",
    "1e-999999999999999999999, -77",
    "9223372036854775808.0, -77",
    "12345678901234567890123.5e1, -77",
  })
  void anIntegerMayBeWrittenWithPointAndExponent(String text, long value) throws InvalidJson {
    assertThat(integer(text)).isEqualTo(value);
  }

  @Test
  void aNumberOfAHundredThousandDigitsIsReadOnce() throws InvalidJson {
    String zeros = "0".repeat(100_000);
    assertThat(integer("7." + zeros)).isEqualTo(7);
    assertThat(integer("7" + zeros + "e-100000")).isEqualTo(7);
    assertThat(integer("0." + zeros + "7e100001")).isEqualTo(7);
    assertThat(integer("7." + zeros + "1")).isEqualTo(-77);
    assertThat(integer("7" + zeros)).isEqualTo(-77);
    assertThat(integer("7".repeat(100_000) + ".0")).isEqualTo(-77);
  }

  @Test
  void aListBeyondItsBoundEndsTheScan() {
    String items = "1,".repeat(JsonLimits.ITEMS_MAX);
    String broken = "{\"a\":[" + items + "1,nonsense";
    byte[] bytes = broken.getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> JsonMembers.of(bytes, 0, bytes.length, Set.of("a")))
        .isInstanceOfSatisfying(
            InvalidJson.class,
            e -> {
              assertThat(e.reason()).isEqualTo(InvalidJson.Reason.TOO_MANY_ITEMS);
              assertThat(e.member()).isEqualTo("a");
            });
    assertThatThrownBy(() -> JsonMembers.of(bytes, 0, bytes.length, Set.of("b")))
        .hasMessageContaining("unknown literal");
  }

  @Test
  void onlyMembersOfTheRootAreBounded() throws InvalidJson {
    String list = "[" + "1,".repeat(JsonLimits.ITEMS_MAX) + "1]";
    byte[] bytes = ("{\"x\":{\"a\":" + list + "}}").getBytes(StandardCharsets.UTF_8);
    JsonMembers root = JsonMembers.of(bytes, 0, bytes.length, Set.of("a"));
    JsonMembers inside = root.object(0);
    assertThat(inside.array(0).isCut()).isTrue();
    assertThat(inside.array(0).end()).isEqualTo(inside.valueEnd(0));
  }

  @Test
  void nestedValuesAreReadInPlace() throws InvalidJson {
    JsonMembers chunk = read("{\"choices\":[{\"delta\":{\"content\":\"hi\"}},{}]}");
    JsonElements choices = chunk.array(0);
    assertThat(choices.size()).isEqualTo(2);
    JsonMembers delta = choices.object(0).object(0);
    assertThat(delta.string(delta.indexOf("content"))).isEqualTo("hi");
    assertThat(choices.object(1).size()).isZero();
    assertThatThrownBy(() -> chunk.object(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> choices.kind(2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aListIsReadAgainAndAgain() throws InvalidJson {
    JsonMembers members = new JsonMembers();
    members.read(bytes("{" + members(200) + "}"), 0, bytes("{" + members(200) + "}").length);
    assertThat(members.size()).isEqualTo(200);
    members.read(bytes("xx{\"b\":7}yy"), 2, 9);
    assertThat(members.size()).isEqualTo(1);
    assertThat(members.integer(0, 0)).isEqualTo(7);
    members.read(bytes("{}"), 0, 2);
    assertThat(members.size()).isZero();
  }

  @Test
  void arraysAsRootsAreReadOnRequest() throws InvalidJson {
    byte[] array = bytes(" [1, [2], {}] ");
    assertThat(JsonElements.of(array, 0, array.length).size()).isEqualTo(3);
    assertThatThrownBy(() -> JsonElements.of(bytes("{}"), 0, 2))
        .isInstanceOfSatisfying(
            InvalidJson.class,
            e -> assertThat(e.reason()).isEqualTo(InvalidJson.Reason.NOT_AN_ARRAY));
  }

  @Test
  void whatIsNotOneStrictDocumentIsRefused() {
    for (String text :
        new String[] {
          "",
          " \n",
          "{} {}",
          "{}x",
          "{},",
          "\uFEFF{}",
          "\u0000{}",
          "{}\u0000",
          "{\"a\":1,}",
          "{,}",
          "{\"a\" 1}",
          "{\"a\":01}",
          "{\"a\":+1}",
          "{\"a\":.5}",
          "{\"a\":1.}",
          "{\"a\":0x1}",
          "{\"a\":NaN}",
          "{\"a\":\"\n\"}",
          "{\"a\":\"\\x41\"}",
          "{a:1}",
          "{'a':1}",
          "{\"a\":1//\n}",
          "{\"a\":\"\\u12g4\"}",
          "{\"a\":tru}",
          "{\"a\":nulll}",
          "{\"a\":--1}",
          "{\"a\":1e}",
          "a=b&c=d",
          "[1",
          "\"",
          "-",
          "{\"a\":\u00a01}",
          "{\"a\":\"\\"
        }) {
      assertThat(JsonVerdict.ofBoth(bytes(text))).as(text).isEqualTo("MALFORMED");
    }
    assertThat(JsonVerdict.ofBoth("{\"a\":1}".getBytes(StandardCharsets.UTF_16LE)))
        .isEqualTo("MALFORMED");
    assertThat(JsonVerdict.ofBoth("{\"a\":1}".getBytes(StandardCharsets.UTF_16BE)))
        .isEqualTo("MALFORMED");
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() {
    byte[] document = bytes("{\"a\":\"??\"}");
    document[6] = (byte) 0xc0;
    document[7] = (byte) 0xaf;
    assertThat(JsonVerdict.ofBoth(document)).isEqualTo("MALFORMED");
  }

  @Test
  void rootsThatAreNoObjectsDifferFromInvalidJson() {
    for (String text :
        new String[] {"[]", " [{\"a\":1}] ", "\"x\"", "null", "true", "1", "-1.5e3"}) {
      assertThat(JsonVerdict.ofBoth(bytes(text))).as(text).isEqualTo("NOT_AN_OBJECT");
    }
  }

  @Test
  void nestingEndsAtItsLimit() throws InvalidJson {
    assertThat(JsonVerdict.ofBoth(bytes(nested(200)))).isEqualTo("ok");
    assertThat(JsonVerdict.ofBoth(bytes(nested(201)))).isEqualTo("TOO_DEEP");
    assertThat(JsonVerdict.ofBoth(bytes(nested(20_000)))).isEqualTo("TOO_DEEP");
    assertThat(JsonVerdict.ofBoth(bytes("[".repeat(100_000)))).isEqualTo("TOO_DEEP");
    assertThat(read(nested(200)).depth(0)).isEqualTo(200);
    assertThat(read("{\"a\":1}").depth(0)).isEqualTo(1);
    assertThat(read("{\"a\":[]}").depth(0)).isEqualTo(2);
  }

  @Test
  void membersOfTheRootEndAtTheirLimitAndNestedOnesDoNot() {
    assertThat(JsonVerdict.ofBoth(bytes("{" + members(256) + "}"))).isEqualTo("ok");
    assertThat(JsonVerdict.ofBoth(bytes("{" + members(257) + "}"))).isEqualTo("TOO_MANY_MEMBERS");
    assertThat(JsonVerdict.ofBoth(bytes("{\"a\":{" + members(5_000) + "}}"))).isEqualTo("ok");
  }

  @Test
  void namesEndAtTheirLimitAnywhere() {
    String longest = "n".repeat(1_024);
    assertThat(JsonVerdict.ofBoth(bytes("{\"" + longest + "\":1}"))).isEqualTo("ok");
    assertThat(JsonVerdict.ofBoth(bytes("{\"n" + longest + "\":1}"))).isEqualTo("NAME_TOO_LONG");
    assertThat(JsonVerdict.ofBoth(bytes("{\"a\":[{\"n" + longest + "\":1}]}")))
        .isEqualTo("NAME_TOO_LONG");
    assertThat(JsonVerdict.ofBoth(bytes("{\"" + "n".repeat(200_000) + "\":1}")))
        .isEqualTo("NAME_TOO_LONG");
  }

  @Test
  void longStringsAndNumbersAreNoReasonToRefuse() {
    assertThat(JsonVerdict.ofBoth(bytes("{\"a\":" + "1".repeat(5_000) + "}"))).isEqualTo("ok");
    assertThat(JsonVerdict.ofBoth(bytes("{\"a\":\"" + "x".repeat(21 << 20) + "\"}")))
        .isEqualTo("ok");
  }

  @Test
  void aRefusalHasAPlaceAndNoStackTrace() {
    assertThatThrownBy(() -> read("{\"a\":1]"))
        .isInstanceOfSatisfying(
            InvalidJson.class,
            e -> {
              assertThat(e.offset()).isEqualTo(6);
              assertThat(e.getStackTrace()).isEmpty();
              assertThat(e).hasMessageContaining("byte 6");
            });
  }

  private static long integer(String value) throws InvalidJson {
    return read("{\"a\":" + value + "}").integer(0, -77);
  }

  private static String members(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"k" + i + "\":" + i)
        .collect(Collectors.joining(","));
  }

  private static String nested(int depth) {
    return "{\"a\":" + "[".repeat(depth - 1) + "]".repeat(depth - 1) + "}";
  }

  private static JsonMembers read(String text) throws InvalidJson {
    byte[] bytes = bytes(text);
    return JsonMembers.of(bytes, 0, bytes.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
