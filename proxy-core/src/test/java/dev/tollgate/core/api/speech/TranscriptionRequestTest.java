package dev.tollgate.core.api.speech;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.audio.AudioLength;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TranscriptionRequestTest {
  private static final String TYPE = "multipart/form-data; boundary=b";
  private static final PriceList BY_SECOND =
      new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 100_000_000, List.of(), 0, 0);

  /** Returns a form of fields as {@code name=value}; {@code @name=bytes} is a file. */
  private static byte[] form(String... fields) {
    StringBuilder form = new StringBuilder();
    for (String field : fields) {
      boolean isFile = field.startsWith("@");
      String[] parts = field.substring(isFile ? 1 : 0).split("=", 2);
      form.append("--b\r\nContent-Disposition: form-data; name=\"")
          .append(parts[0])
          .append(isFile ? "\"; filename=\"a.mp3\"\r\nContent-Type: audio/mpeg" : "\"")
          .append("\r\n\r\n")
          .append(parts[1])
          .append("\r\n");
    }
    return form.append("--b--\r\n").toString().getBytes(ISO_8859_1);
  }

  private static ParseResult<TranscriptionRequest> parse(byte[] form) {
    return TranscriptionRequest.parse(form, form.length, TYPE);
  }

  private static TranscriptionRequest valid(String... fields) {
    ParseResult<TranscriptionRequest> parsed = parse(form(fields));
    assertThat(parsed).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<TranscriptionRequest>) parsed).request();
  }

  private static Fault refused(byte[] form) {
    ParseResult<TranscriptionRequest> parsed = parse(form);
    assertThat(parsed).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<TranscriptionRequest>) parsed).fault();
  }

  @Test
  void tooLongRoutingPreferencesAreNotRead() {
    byte[] large = form("model=acme/stt", "@file=ID3", "routing=" + "\u0001".repeat(8 << 20));
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Fault fault = refused(large);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
    assertThat(fault.param()).isEqualTo("routing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "routing[only][]=eu",
        "provider=eu",
        "provider[order][]=eu",
        "routing.only=eu",
        "Routing[sort]=price"
      })
  void unreadRoutingPreferencesAreRefused(String flattened) {
    Fault fault = refused(form("model=acme/stt", "@file=ID3", flattened));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(flattened.substring(0, flattened.indexOf('=')));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "response_format=verbose_json;timestamp_granularities[]=word;timestamp_granularities[]=segment",
        "response_format=diarized_json;chunking_strategy=auto;known_speaker_names[]=A",
        "response_format=srt;language=en;prompt=Tollgate;temperature=0.2",
        "response_format=;temperature=;stream=;language=",
        "stream=true;include[]=logprobs;include[]=logprobs",
        "routing=cost;unknown=1;unknown=2",
        "provider_options=1;routings=2",
        "routing={\"strategy\":\"cost\",\"only\":[\"a\"]}"
      })
  void whatTheConventionAllowsIsAccepted(String more) {
    String[] fields = ("model=acme/stt;@file=ID3;" + more).split(";");
    assertThat(valid(fields).target().model()).hasToString("acme/stt");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "model=acme/stt | file",
        "@file=ID3 | model",
        "model=acme/stt;file=ID3 | file",
        "model=acme/stt;@file= | file",
        "@model=acme/stt;@file=ID3 | model",
        "model=/stt;@file=ID3 | model",
        "model=;@file=ID3 | model",
        "model=acme/stt;model=acme/other;@file=ID3 | model",
        "model=acme/stt;Model=acme/other;@file=ID3 | Model",
        "model=acme/stt;@file=ID3;@file=ID3 | file",
        "model=acme/stt;@file=ID3;response_format=xml | response_format",
        "model=acme/stt;@file=ID3;response_format=json;response_format=srt | response_format",
        "model=acme/stt;@file=ID3;stream=1 | stream",
        "model=acme/stt;@file=ID3;@stream=true | stream",
        "model=acme/stt;@file=ID3;temperature=1.1 | temperature",
        "model=acme/stt;@file=ID3;temperature=NaN | temperature",
        "model=acme/stt;@file=ID3;temperature=warm | temperature",
        "model=acme/stt;@file=ID3;timestamp_granularities[]=letter | timestamp_granularities[]",
        "model=acme/stt;@file=ID3;prompt=\u00e9 | prompt",
        "model=acme/stt;@file=ID3;routing=fastest | routing.strategy",
        "model=acme/stt;@file=ID3;routing={\"only\":7} | routing.only",
        "model=acme/stt;@file=ID3;routing={\"only\" | routing"
      })
  void whatItForbidsIsNamed(String fields, String param) {
    Fault fault = refused(form(fields.split(";")));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void everyIssueIsReported() {
    Fault fault = refused(form("stream=yes", "temperature=9"));
    assertThat(fault.details().toString())
        .contains("file", "model", "must be true or false", "between 0 and 1");
  }

  @Test
  void aBrokenFormIsRefusedAsAWhole() {
    byte[] form = form("model=acme/stt", "@file=ID3");
    Fault cut =
        ((ParseResult.Refused<TranscriptionRequest>)
                TranscriptionRequest.parse(form, form.length - 4, TYPE))
            .fault();
    assertThat(cut.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(cut.message()).contains("its end is missing");
    var none = TranscriptionRequest.parse(form, form.length, "multipart/form-data");
    assertThat(((ParseResult.Refused<TranscriptionRequest>) none).fault().message())
        .contains("boundary");
  }

  @Test
  void itsProviderGetsTheFormWithTheNameOfItsModelInSlicesOfTheBody() {
    byte[] form = form("routing=cost", "@file=ID3..", "model=acme/stt", "x=1", "x=2");
    var request = ((ParseResult.Valid<TranscriptionRequest>) parse(form)).request();
    List<ByteBuf> parts = request.bodyFor(Samples.route(true));
    assertThat(request.upstreamBody(Samples.route(true)).contentType()).isEqualTo(TYPE);
    ByteBuf sent = Unpooled.wrappedBuffer(parts.toArray(ByteBuf[]::new));
    assertThat(sent.toString(UTF_8))
        .isEqualTo(new String(form("@file=ID3..", "model=m1-2026", "x=1", "x=2"), UTF_8));
    assertThat(parts.getFirst().array()).as("no copy of the file").isSameAs(form);
  }

  @Test
  void bytesOutsideOfThePartsAreNotSent() {
    String text = "preamble\r\n" + new String(form("model=acme/stt", "@file=I"), UTF_8) + "more";
    byte[] form = text.getBytes(UTF_8);
    var request = ((ParseResult.Valid<TranscriptionRequest>) parse(form)).request();
    ByteBuf sent =
        Unpooled.wrappedBuffer(request.bodyFor(Samples.route(true)).toArray(ByteBuf[]::new));
    assertThat(sent.toString(UTF_8)).isEqualTo(new String(form("model=m1-2026", "@file=I"), UTF_8));
  }

  @Test
  void anEmptyFieldsDelimiterMayFollowItsHeadAtOnce() {
    String text =
        "--b\r\nContent-Disposition: form-data; name=\"routing\"\r\n\r\n"
            + new String(form("model=acme/stt", "@file=I"), UTF_8);
    byte[] form = text.getBytes(UTF_8);
    var request = ((ParseResult.Valid<TranscriptionRequest>) parse(form)).request();
    ByteBuf sent =
        Unpooled.wrappedBuffer(request.bodyFor(Samples.route(true)).toArray(ByteBuf[]::new));
    assertThat(sent.toString(UTF_8)).isEqualTo(new String(form("model=m1-2026", "@file=I"), UTF_8));
  }

  @Test
  void bySecondsItsSizeIsSetAside() {
    Model model = Samples.model("acme/stt", Modality.TRANSCRIPTION, BY_SECOND, 0, 0);
    var request = valid("model=acme/stt", "@file=" + "x".repeat(40_001));
    assertThat(request.estimate(model).value()).isEqualTo(1_100); // 11 s at 100 each
    assertThat(AudioLength.atMost(Long.MAX_VALUE / 2)).isEqualTo(Duration.ofHours(4));
  }

  @Test
  void byTokensTheLongestAudioAndTextAreSetAside() {
    PriceList tokens = PriceList.ofTokens(TokenPrices.of(1_000_000, 2_000_000));
    Model model = Samples.model("acme/stt", Modality.TRANSCRIPTION, tokens, 0, 0);
    var request = valid("model=acme/stt", "@file=" + "x".repeat(40_000));
    assertThat(request.estimate(model).value()).isBetween(320L + 2 * 4_096, 330L + 2 * 4_096);
    assertThat(request.prompt().tokensSetAside()).isEqualTo(100);
  }

  @Test
  void aWavDeclaresItsLength() {
    byte[] wav = wav(8_000, 1, 16_000);
    assertThat(AudioLength.likely(wav, 0, wav.length)).isEqualTo(Duration.ofSeconds(2));
    byte[] inside = new byte[wav.length + 10];
    System.arraycopy(wav, 0, inside, 7, wav.length);
    assertThat(AudioLength.likely(inside, 7, 7 + wav.length)).isEqualTo(Duration.ofSeconds(2));
    ByteBuffer.wrap(wav).order(ByteOrder.LITTLE_ENDIAN).putInt(40, -1); // still being recorded
    assertThat(AudioLength.likely(wav, 0, wav.length)).isEqualTo(Duration.ofSeconds(2));
    for (int length = 0; length < 44; length++) {
      assertThat(AudioLength.likely(wav, 0, length)).isEqualTo(AudioLength.atMost(length));
    }
    byte[] silent = wav(0, 0, 100);
    assertThat(AudioLength.likely(silent, 0, silent.length)).isEqualTo(Duration.ofSeconds(1));
  }

  private static byte[] wav(int samplesPerSecond, int frameBytes, int dataBytes) {
    ByteBuffer wav = ByteBuffer.allocate(44 + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
    wav.put("RIFF".getBytes(UTF_8)).putInt(36 + dataBytes).put("WAVEfmt ".getBytes(UTF_8));
    wav.putInt(16).putShort((short) 1).putShort((short) 1).putInt(samplesPerSecond).putInt(7);
    wav.putShort((short) frameBytes).putShort((short) 8);
    return wav.put("data".getBytes(UTF_8)).putInt(dataBytes).array();
  }
}
