package dev.tollgate.core.http.multipart;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MultipartReaderTest {
  private static final MultipartBoundary B = new MultipartBoundary("b");
  private static final String MODEL = "Content-Disposition: form-data; name=\"model\"\r\n\r\n";

  /** Returns a form as bytes; {@code |} ends a line. */
  private static byte[] form(String lines) {
    return lines.replace("|", "\r\n").getBytes(UTF_8);
  }

  private static MultipartReader whole(MultipartBoundary boundary, byte[] bytes) {
    var reader = new MultipartReader(boundary);
    reader.read(bytes, bytes.length);
    return reader;
  }

  /** Returns the parts found, as text that can be compared. */
  private static String found(MultipartReader reader, byte[] bytes) {
    List<String> reported = new ArrayList<>();
    for (FormPart part : reader.parts()) {
      reported.add(part + "=" + new String(bytes, part.from(), part.sizeBytes(), ISO_8859_1));
    }
    return reported + " " + reader.isComplete() + " " + reader.problem();
  }

  /**
   * Returns the same parts for the whole form, byte by byte and at random splits, with random bytes
   * after the received ones.
   */
  private static String foundHoweverItComes(
      MultipartBoundary boundary, byte[] bytes, Random random) {
    String whole = found(whole(boundary, bytes), bytes);
    var slow = new MultipartReader(boundary);
    for (int length = 0; length <= bytes.length; length++) {
      slow.read(comingTo(bytes, length), length);
    }
    assertThat(found(slow, bytes)).as(new String(bytes, ISO_8859_1)).isEqualTo(whole);
    var split = new MultipartReader(boundary);
    for (int length = 0; length < bytes.length; ) {
      length = Math.min(bytes.length, length + 1 + random.nextInt(40));
      split.read(comingTo(bytes, length), length);
    }
    assertThat(found(split, bytes)).isEqualTo(whole);
    return whole;
  }

  private static byte[] comingTo(byte[] bytes, int length) {
    byte[] grown = Arrays.copyOf(bytes, bytes.length + 3);
    Arrays.fill(grown, length, grown.length, (byte) '-');
    return grown;
  }

  @Test
  void partsAreFoundWhereTheyAre() {
    byte[] bytes =
        form(
            "--b|Content-Disposition: form-data; name=\"model\"||acme/one|"
                + "--b|content-type: audio/wav|CONTENT-DISPOSITION: Form-Data; filename=\"a \\\"b\\\".wav\";"
                + " name=file||RIFF||--cb--|--b--|");
    String found = foundHoweverItComes(B, bytes, new Random(7));
    assertThat(found)
        .contains("name=model, isFile=false")
        .contains("]=acme/one, FormPart[name=file");
    assertThat(found).endsWith("null").contains("isFile=true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--b|" + "Content-Disposition: form-data; name=m||--b--",
        "|--b|Content-Disposition: form-data; name=m||x|--b--||epilogue|--b|",
        "preamble|--b|Content-Disposition: form-data; name=m||x|--b--|",
        "--b \t|Content-Disposition: form-data; name=\"m\"; filename*=UTF-8''x||x|--b--",
        "--b|Content-Disposition:form-data;name=\"gr\u00fc\u00df\"|X-Other: \u00fc||x|--b--",
        "--b|Content-Disposition: form-data; name=m|Content-Transfer-Encoding: binary||x|--b--",
        "--b--",
        "||--b--|"
      })
  void whatSendersWriteIsUnderstood(String lines) {
    byte[] bytes = form(lines);
    assertThat(foundHoweverItComes(B, bytes, new Random(lines.hashCode()))).endsWith("true null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '^',
      quoteCharacter = '`',
      value = {
        "--bx|a^delimiter is not alone",
        "--b|Content-Disposition: form-data; name=m||x|--bx|--b--^delimiter is not alone",
        "--b\t x|a^delimiter is not alone",
        "--b||x|--b--^no name",
        "--b|X-Other: 1||x|--b--^no name",
        "--b|Content-Disposition: form-data||x|--b--^no name",
        "--b|Content-Disposition: form-data; filename=a||x|--b--^no name",
        "--b|Content-Disposition: attachment; name=m||x|--b--^not one field",
        "--b|Content-Disposition: form-data; name=a|Content-Disposition: form-data; name=b||x|--b--^not one field",
        "--b|Content-Disposition: form-data; name=a; name=b||x|--b--^ambiguous",
        "--b|Content-Disposition: form-data; name=\"a\\\"b\"||x|--b--^ambiguous",
        "--b|Content-Disposition: form-data; name*=UTF-8''a; name=b||x|--b--^ambiguous",
        "--b|Content-Disposition: form-data; name=\"a||x|--b--^broken Content-Disposition",
        "--b|Content-Disposition: form-data; filename=\"a\"; name=\"m\" x||x|--b--^broken Content-Disposition",
        "--b|Content-Disposition: form-data; filename=\"a\\\"; name=\"m\"||x|--b--^broken Content-Disposition",
        "--b|Content-Disposition: form-data;| name=m||x|--b--^broken Content-Disposition",
        "--b|Content-Disposition : form-data; name=m||x|--b--^broken header line",
        "--b|no colon||x|--b--^broken header line",
        "--b|Content-Disposition: form-data; name=m|Content-Transfer-Encoding: base64||x|--b--^encoded"
      })
  void whatTwoParsersCouldReadDifferentlyIsRefused(String lines, String problem) {
    byte[] bytes = form(lines);
    assertThat(foundHoweverItComes(B, bytes, new Random(7))).contains("false a ").contains(problem);
  }

  @Test
  void aBareLineEndIsNone() {
    byte[] bytes = ("--b\n" + MODEL + "x\r\n--b--").getBytes(UTF_8);
    assertThat(whole(B, bytes).problem()).contains("delimiter is not alone");
  }

  /** Some parsers accept any line break before a delimiter, some need none. */
  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "x", "\n\r", "\u0085", ""})
  void aDelimiterThatBeginsNoLineIsRefused(String ahead) {
    String head = "--b|Content-Disposition: form-data; name=m||";
    byte[] inside = form(head + "x" + ahead + "--b\n" + MODEL + "big\n--b|y|--b--");
    assertThat(foundHoweverItComes(B, inside, new Random(7))).contains("does not begin a line");
    byte[] before = form("x" + ahead + "--b|" + MODEL + "m|--b--");
    assertThat(foundHoweverItComes(B, before, new Random(7))).contains("does not begin a line");
  }

  @Test
  void whatHasNoEndIsNotComplete() {
    byte[] bytes = form("--b|Content-Disposition: form-data; name=m||x|--b--");
    for (int length = 0; length < bytes.length - 1; length++) {
      var reader = new MultipartReader(B);
      reader.read(bytes, length);
      assertThat(reader.isComplete()).isFalse();
      assertThat(reader.problem()).isNull();
    }
  }

  @Test
  void headsAndPartsAreBounded() {
    byte[] large = form("--b|X-Other: " + "x".repeat(MultipartReader.HEAD_BYTES_MAX) + "||x|--b--");
    assertThat(whole(B, large).problem()).contains("too large");
    byte[] endless = form("--b|X-Other: " + "x".repeat(MultipartReader.HEAD_BYTES_MAX));
    assertThat(whole(B, endless).problem()).as("before its end came").contains("too large");
    byte[] wide =
        form(
            "--b|Content-Disposition: form-data; name=m; filename=\""
                + "\\\"".repeat(600)
                + "\"||x|--b--");
    assertThat(whole(B, wide).problem()).contains("too long");

    String part = "--b|Content-Disposition: form-data; name=m||x|";
    byte[] most = form(part.repeat(MultipartReader.PARTS_MAX) + "--b--");
    assertThat(whole(B, most).isComplete()).isTrue();
    byte[] more = form(part.repeat(MultipartReader.PARTS_MAX + 1) + "--b--");
    assertThat(whole(B, more).problem()).contains("more than 128 parts");
  }

  /** Takes some milliseconds; comparing each pair of blanks took 8 s here. */
  @Test
  @Timeout(3)
  void blanksOfAHeadCostOneLookEach() {
    String part = "--b|X: a" + " ".repeat(8_000) + "b|Content-Disposition: form-data; name=m||x|";
    byte[] blank = form(part.repeat(MultipartReader.PARTS_MAX) + "--b--");
    assertThat(whole(B, blank).isComplete()).isTrue();
  }

  @Test
  void aHeadWithoutEndIsReadUpToItsBound() {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) 'x');
    byte[] begun = form("--b|X: ");
    System.arraycopy(begun, 0, bytes, 0, begun.length);
    bytes[MultipartReader.HEAD_BYTES_MAX + 100] = '\r'; // an end after the size bound
    assertThat(whole(B, bytes).problem()).contains("too large");
  }

  @Test
  void manyAlmostDelimitersCostOneLookEach() {
    var boundary = new MultipartBoundary("-".repeat(69) + "x");
    byte[] bytes = new byte[4 << 20];
    Arrays.fill(bytes, (byte) '-');
    byte[] head = form("--" + boundary.text() + "|Content-Disposition: form-data; name=m||");
    System.arraycopy(head, 0, bytes, 0, head.length);
    MultipartReader reader = whole(boundary, bytes);
    assertThat(reader.problem()).isNull();
    assertThat(reader.isComplete()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "-", "-a", "a-a-a-a-a-a-b-"})
  void contentThatIsMadeLikeItsDelimiterIsComparedWithItSeldom(String pattern) {
    byte[] delimiter = ("--" + pattern.repeat(70 / pattern.length())).getBytes(UTF_8);
    byte[] bytes = new byte[1 << 20];
    for (int i = 0; i < bytes.length; i++) {
      boolean differs = i % (delimiter.length - 1) == 0;
      bytes[i] = differs ? (byte) 'x' : delimiter[i % (delimiter.length - 1)];
    }
    var search = new DelimiterSearch(delimiter);
    assertThat(search.find(bytes, 0, bytes.length)).isEqualTo(-1);
    assertThat(search.comparisons()).isLessThan(bytes.length / 4 + 5_000);
    int end = bytes.length - delimiter.length;
    bytes[end - 1] = 'x';
    System.arraycopy(delimiter, 0, bytes, end, delimiter.length);
    assertThat(search.find(bytes, 0, bytes.length)).isEqualTo(end);
  }

  @Test
  void aDelimiterIsFoundWhereItFirstBegins() {
    Seeds.forEach(
        random -> {
          String delimiter = "--" + letters(random, 1 + random.nextInt(5));
          String text = letters(random, 20_000) + delimiter + letters(random, 50);
          byte[] bytes = text.getBytes(UTF_8);
          var search = new DelimiterSearch(delimiter.getBytes(UTF_8));
          int from = random.nextInt(20_000);
          assertThat(search.find(bytes, from, bytes.length))
              .isEqualTo(text.indexOf(delimiter, from));
        });
  }

  private static String letters(Random random, int count) {
    StringBuilder letters = new StringBuilder();
    for (int n = 0; n < count; n++) {
      letters.append("aaab-".charAt(random.nextInt(5)));
    }
    return letters.toString();
  }

  /** Random parts are found whatever their content is; damaged forms end with a result. */
  @Test
  void randomFormsAreFoundHoweverTheyComeAndDamagedOnesEnd() {
    Seeds.forEach(
        random -> {
          var boundary = new MultipartBoundary("a-".repeat(random.nextInt(5)) + "z");
          StringBuilder lines = new StringBuilder();
          List<String> contents = new ArrayList<>();
          int count = random.nextInt(4);
          for (int n = 0; n < count; n++) {
            String content = content(random);
            contents.add(content);
            lines
                .append(
                    "--" + boundary.text() + "|Content-Disposition: form-data; name=p" + n + "||")
                .append(content)
                .append("|");
          }
          byte[] bytes = form(lines + "--" + boundary.text() + "--|");
          String found = foundHoweverItComes(boundary, bytes, random);
          MultipartReader reader = whole(boundary, bytes);
          assertThat(found).endsWith("true null");
          for (int n = 0; n < count; n++) {
            FormPart part = reader.parts().get(n);
            String text = new String(bytes, part.from(), part.sizeBytes(), UTF_8);
            assertThat(text).isEqualTo(contents.get(n).replace("|", "\r\n"));
          }
          for (int n = random.nextInt(3); n >= 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(128);
          }
          String damaged = foundHoweverItComes(boundary, bytes, random);
          assertThat(damaged).isNotEmpty();
        });
  }

  private static String content(Random random) {
    String letters = "|--az-\r\nx";
    StringBuilder content = new StringBuilder("0");
    for (int n = random.nextInt(30); n > 0; n--) {
      content.append(letters.charAt(random.nextInt(letters.length())));
    }
    return content.toString().replaceAll("-+", "-"); // no delimiter by chance
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '^',
      quoteCharacter = '`',
      value = {
        "multipart/form-data; boundary=abc^abc",
        "multipart/form-data;charset=utf-8 ; BOUNDARY=\"a b=c\"^a b=c",
        "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk; x=y^----WebKitFormBoundary7MA4YWxk"
      })
  void boundariesAreRead(String contentType, String boundary) {
    assertThat(MultipartBoundary.of(contentType)).hasValue(new MultipartBoundary(boundary));
    String ours = new MultipartBoundary(boundary).contentType();
    assertThat(MultipartBoundary.of(ours)).hasValue(new MultipartBoundary(boundary));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"a ",
        "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=a; boundary=b",
        "multipart/form-data; boundary=a b",
        "multipart/form-data; boundary=\"a\\\"b\"",
        "multipart/form-data; boundary=a\u00fc",
        "multipart/form-data; boundary="
            + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void otherBoundariesAreNone(String contentType) {
    assertThat(MultipartBoundary.of(contentType)).isEmpty();
  }

  @Test
  @Tag("corpus")
  void recordedFormsAreFoundHoweverTheyCome() {
    byte[] bytes =
        Corpora.bytes("wire/fixtures/openai/audio-transcription-stream--nomodel.request.bin");
    var boundary =
        new MultipartBoundary("-----------RubyMultipartPost-0a835537d1ac457c262a049418957b2a");
    var reader = new MultipartReader(boundary);
    var random = new Random(7);
    for (int length = 0; length < bytes.length; ) {
      length = Math.min(bytes.length, length + 1 + random.nextInt(5_000));
      reader.read(bytes, length);
    }
    assertThat(reader.isComplete()).isTrue();
    assertThat(reader.parts().stream().map(FormPart::name))
        .containsExactly("model", "file", "chunking_strategy", "response_format", "stream");
  }
}
