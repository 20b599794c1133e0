package dev.tollgate.core.api.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.TestCatalog;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields of a video or music request, with their bounds. */
final class MediaJobRequestTest {
  private static final long PICO = 1_000_000;
  private static final BigDecimal FACTOR = new BigDecimal("1.5");

  private static ParseResult<MediaJobRequest> parse(JobKind kind, String body) {
    byte[] bytes = body.replace('\'', '"').getBytes(UTF_8);
    return MediaJobRequest.parse(bytes, bytes.length, kind);
  }

  private static MediaJobRequest valid(JobKind kind, String fields) {
    var parsed = parse(kind, "{'model':'acme/one','prompt':'a dog'" + fields + "}");
    assertThat(parsed).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<MediaJobRequest>) parsed).request();
  }

  private static Fault refused(JobKind kind, String body) {
    var parsed = parse(kind, body);
    assertThat(parsed).as(body).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<MediaJobRequest>) parsed).fault();
  }

  private static Model model(Modality modality) {
    Model m = TestCatalog.of(modality, TestCatalog.all("alpha")).models().iterator().next();
    var prices = new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 0, List.of(), 100 * PICO, PICO);
    return new Model(
        m.id(),
        modality,
        m.name(),
        m.description(),
        m.created(),
        0,
        0,
        0,
        0,
        Set.of(),
        prices,
        Resume.OFF,
        false,
        m.routes(),
        Duration.ofSeconds(4));
  }

  @Test
  void everyFieldOfAVideoIsRead() {
    MediaJobRequest video =
        valid(
            JobKind.VIDEO,
            ",'duration_seconds':2.5,'image_url':'https://a.example/1','end_image_url':"
                + "'https://a.example/2','input_images':['https://a.example/3','iVBORw0KGgoAAAAA'],"
                + "'resolution':'720p','aspect_ratio':'16:9','audio':true,"
                + "'webhook_url':'https://a.example/hook','metadata':{'a':'b','c':'d'},"
                + "'max_cost_micro':900,'routing':'cost','user':'u','seed':7");
    assertThat(video.duration()).contains(Duration.ofMillis(2_500));
    assertThat(video.urls())
        .extracting(MediaJobRequest.RemoteUrl::param)
        .containsExactly("webhook_url", "image_url", "end_image_url", "input_images[0]");
    assertThat(video.webhookUrl()).isEqualTo("https://a.example/hook");
    assertThat(video.metadata()).hasToString("{\"a\":\"b\",\"c\":\"d\"}");
    assertThat(video.costMax()).hasValue(900);
    assertThat(video.params())
        .hasToString(
            ("{'prompt':'a dog','duration_seconds':2.5,'image_url':'https://a.example/1',"
                    + "'end_image_url':'https://a.example/2','input_images':["
                    + "'https://a.example/3','(an image of 16 characters in base64)'],"
                    + "'resolution':'720p','aspect_ratio':'16:9','audio':true,'user':'u','seed':7}")
                .replace('\'', '"'));
  }

  @Test
  void everyFieldOfMusicIsRead() {
    MediaJobRequest music =
        valid(
            JobKind.MUSIC,
            ",'duration_seconds':600,'format':'flac','sample_rate':44100,'instrumental':false");
    assertThat(music.duration()).contains(Duration.ofMinutes(10));
    assertThat(music.webhookUrl()).isNull();
    assertThat(music.metadata()).hasToString("{}");
    assertThat(music.urls()).isEmpty();
  }

  @Test
  void nullIsAsGoodAsNothing() {
    assertThat(
            valid(
                    JobKind.VIDEO,
                    ",'duration_seconds':null,'webhook_url':null,'metadata':null,"
                        + "'max_cost_micro':null,'input_images':null,'aspect_ratio':null")
                .duration())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "VIDEO | prompt | 'prompt':''",
        "VIDEO | prompt | 'prompt':7",
        "VIDEO | duration_seconds | 'prompt':'p','duration_seconds':0.99",
        "VIDEO | duration_seconds | 'prompt':'p','duration_seconds':120.0001",
        "MUSIC | duration_seconds | 'prompt':'p','duration_seconds':600.5",
        "VIDEO | image_url | 'prompt':'p','image_url':'http://a.example/'",
        "VIDEO | end_image_url | 'prompt':'p','end_image_url':'ftp://a.example/'",
        "VIDEO | input_images[0] | 'prompt':'p','input_images':['http://a.example/']",
        "VIDEO | input_images | 'prompt':'p','input_images':'x'",
        "VIDEO | resolution | 'prompt':'p','resolution':720",
        "VIDEO | aspect_ratio | 'prompt':'p','aspect_ratio':'16/9'",
        "VIDEO | aspect_ratio | 'prompt':'p','aspect_ratio':'0:9'",
        "VIDEO | audio | 'prompt':'p','audio':'yes'",
        "MUSIC | format | 'prompt':'p','format':'ogg'",
        "MUSIC | sample_rate | 'prompt':'p','sample_rate':44100.5",
        "MUSIC | sample_rate | 'prompt':'p','sample_rate':0",
        "MUSIC | instrumental | 'prompt':'p','instrumental':1",
        "MUSIC | webhook_url | 'prompt':'p','webhook_url':7",
        "MUSIC | metadata | 'prompt':'p','metadata':'x'",
        "MUSIC | metadata.a | 'prompt':'p','metadata':{'a':null}",
        "MUSIC | metadata.a | 'prompt':'p','metadata':{'a':'b','a':'c'}",
        "MUSIC | metadata | 'prompt':'p','metadata':{'a':'\\u0000'}",
        "MUSIC | prompt | 'prompt':'\\ud800x'",
        "VIDEO | style | 'prompt':'p','style':['\\udc00']",
        "VIDEO | max_cost_micro | 'prompt':'p','max_cost_micro':-1",
        "VIDEO | max_cost_micro | 'prompt':'p','max_cost_micro':1.5",
        "VIDEO | Prompt | 'prompt':'p','Prompt':'q'",
        "VIDEO | webhook_url | 'prompt':'p','webhook_url':null,'webhook_url':null",
      })
  void whatIsOutOfBoundsIsNamed(JobKind kind, String param, String fields) {
    Fault fault = refused(kind, "{'model':'acme/one'," + fields + "}");
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void allIssuesAreReportedAtOnce() {
    Fault fault = refused(JobKind.VIDEO, "{'duration_seconds':0,'audio':7,'aspect_ratio':'x'}");
    assertThat(fault.toString())
        .contains("model", "prompt", "duration_seconds", "audio", "aspect_ratio");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\ud83d\\ude00", "\\\\u0000", "\\u0001", "\uD83D\uDE00"})
  void whatCanBeKeptIsTaken(String prompt) {
    assertThat(parse(JobKind.MUSIC, "{'model':'acme/one','prompt':'" + prompt + "'}"))
        .isInstanceOf(ParseResult.Valid.class);
  }

  @Test
  void promptsHaveABoundInCharacters() {
    String most = "\uD83D\uDE00".repeat(10_000);
    assertThat(parse(JobKind.VIDEO, "{'model':'acme/one','prompt':'" + most + "'}"))
        .isInstanceOf(ParseResult.Valid.class);
    assertThat(refused(JobKind.VIDEO, "{'model':'acme/one','prompt':'" + most + "x'}").param())
        .isEqualTo("prompt");
  }

  @Test
  void whatIsKeptHasABound() {
    String much = "x".repeat(MediaJobRequest.PARAMS_BYTES_MAX);
    Fault fault = refused(JobKind.VIDEO, "{'model':'a/b','prompt':'p','more':'" + much + "'}");
    assertThat(fault.code()).isEqualTo(ErrorCode.REQUEST_TOO_LARGE);
  }

  @Test
  void itIsEstimatedByItsDuration() {
    Model film = model(Modality.VIDEO);
    assertThat(valid(JobKind.VIDEO, ",'duration_seconds':2.5").estimate(film))
        .isEqualTo(new MicroUsd(250));
    assertThat(valid(JobKind.VIDEO, "").estimate(film)).isEqualTo(new MicroUsd(400));
    assertThat(valid(JobKind.MUSIC, "").estimate(model(Modality.MUSIC))).isEqualTo(new MicroUsd(4));
  }

  @Test
  void itsReservationIsCapped() {
    Model film = model(Modality.VIDEO);
    assertThat(valid(JobKind.VIDEO, "").reservation(film, FACTOR))
        .contains(new MediaJobRequest.JobReservation(new MicroUsd(600), new MicroUsd(600)));
    assertThat(valid(JobKind.VIDEO, ",'max_cost_micro':500").reservation(film, FACTOR))
        .contains(new MediaJobRequest.JobReservation(new MicroUsd(500), new MicroUsd(500)));
    assertThat(valid(JobKind.VIDEO, ",'max_cost_micro':5000").reservation(film, FACTOR))
        .contains(new MediaJobRequest.JobReservation(new MicroUsd(600), new MicroUsd(5_000)));
    MediaJobRequest low = valid(JobKind.VIDEO, ",'max_cost_micro':399");
    assertThat(low.reservation(film, FACTOR)).isEmpty();
    assertThat(low.maxCostTooLow(film).param()).isEqualTo("max_cost_micro");
    assertThat(valid(JobKind.VIDEO, ",'duration_seconds':1.01").reservation(film, FACTOR))
        .contains(new MediaJobRequest.JobReservation(new MicroUsd(152), new MicroUsd(152)));
  }

  /** Rows that names, addresses and prices decide are excluded. */
  @Test
  @Tag("corpus")
  void everyBodyOfTheCorpusGetsItsVerdict() {
    int rows = 0;
    for (String[] row : Corpora.rows("data/badjson.tsv")) {
      boolean isVideo = row[1].equals("POST /v1/video/generations");
      if (!isVideo && !row[1].equals("POST /v1/music/generations")) {
        continue;
      }
      rows++;
      byte[] body = Corpora.bytes("data/badjson/" + row[0]);
      var parsed =
          MediaJobRequest.parse(body, body.length, isVideo ? JobKind.VIDEO : JobKind.MUSIC);
      boolean isLater = row[3].equals("ssrf_blocked") || row[0].startsWith("417");
      if (row[2].equals("202") || isLater) {
        assertThat(parsed).as(row[0]).isInstanceOf(ParseResult.Valid.class);
      } else {
        Fault fault = ((ParseResult.Refused<MediaJobRequest>) parsed).fault();
        assertThat(List.of(fault.code().wire(), String.valueOf(fault.param())))
            .as(row[0])
            .containsExactly(row[3], row[4]);
      }
    }
    assertThat(rows).isGreaterThanOrEqualTo(14);
  }
}
