package dev.tollgate.core.api.embedding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ChatBodies;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddingRequestTest {
  private static final PriceList A_MICRO_A_TOKEN = PriceList.ofTokens(TokenPrices.of(1_000_000, 0));

  private static String body(String members) {
    return ("{'model':'acme/emb'," + members + "}").replace('\'', '"');
  }

  private static ParseResult<EmbeddingRequest> parse(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    return EmbeddingRequest.parse(bytes, bytes.length);
  }

  private static EmbeddingRequest valid(String members) {
    ParseResult<EmbeddingRequest> parsed = parse(body(members));
    assertThat(parsed).as(members).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<EmbeddingRequest>) parsed).request();
  }

  private static Fault refused(String body) {
    ParseResult<EmbeddingRequest> parsed = parse(body);
    assertThat(parsed).as(body).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<EmbeddingRequest>) parsed).fault();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'input':'hi'",
        "'input':['hi','there']",
        "'input':[1,2,3]",
        "'input':[[1,2],[3]]",
        "'input':'hi','encoding_format':'float'",
        "'input':'hi','encoding_format':'base64','dimensions':256,'user':'u'",
        "'input':'hi','encoding_format':null,'dimensions':null,'user':null",
        "'input':'hi','input_type':'query','truncate':true"
      })
  void whatTheConventionAllowsIsAccepted(String members) {
    assertThat(valid(members).model()).hasToString("acme/emb");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'input':'' | input",
        "'input':[] | input",
        "'input':null | input",
        "'input':7 | input",
        "'input':{} | input",
        "'input':[''] | input[0]",
        "'input':['a',''] | input[1]",
        "'input':['a',1] | input[1]",
        "'input':['a',['b']] | input[1]",
        "'input':[1,'a'] | input[1]",
        "'input':[1,-1] | input[1]",
        "'input':[1.5] | input[0]",
        "'input':[[1],[]] | input[1]",
        "'input':[[1],['a']] | input[1][0]",
        "'input':[[1],2] | input[1]",
        "'input':[null] | input[0]",
        "'input':[true] | input[0]",
        "'user':'u' | input",
        "'input':'a','encoding_format':'int8' | encoding_format",
        "'input':'a','encoding_format':1 | encoding_format",
        "'input':'a','dimensions':0 | dimensions",
        "'input':'a','dimensions':1.5 | dimensions",
        "'input':'a','dimensions':'1' | dimensions",
        "'input':'a','user':1 | user",
        "'input':'a','input':'b' | input",
        "'input':'a','Input':'b' | Input",
        "'input':'a','Model':'b' | Model",
        "'input':'a','routing':{'strategy':'nearest'} | routing.strategy",
      })
  void whatItDoesNotAllowIsNamed(String members, String param) {
    Fault fault = refused(body(members));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void atMost2048TextsAreTaken() {
    String texts = "'a'" + ",'a'".repeat(2_047);
    assertThat(valid("'input':[" + texts + "]").promptTokensLikely()).isEqualTo(2_048);
    assertThat(refused(body("'input':[" + texts + ",'a']")).param()).isEqualTo("input");
  }

  @Test
  void allIssuesAreReportedAtOnce() {
    Fault fault = refused("{\"dimensions\":0,\"encoding_format\":\"x\",\"model\":\"m\"}");
    assertThat(ChatBodies.params(fault))
        .containsExactly("input", "model", "dimensions", "encoding_format");
  }

  @Test
  void theProviderGetsEverythingButOurRoutingByteForByte() {
    String sent =
        "{ \"input\" : [\"caf\\u00e9\", \"x\"],\"routing\":{\"order\":[\"a\"]},"
            + "\"model\":\"acme/emb\",\"dimensions\":1.0e2 , \"x\":[1,  2]}";
    byte[] bytes = sent.replace("1.0e2", "100").getBytes(UTF_8);
    ParseResult<EmbeddingRequest> parsed = EmbeddingRequest.parse(bytes, bytes.length);
    EmbeddingRequest request = ((ParseResult.Valid<EmbeddingRequest>) parsed).request();
    assertThat(upstream(request))
        .isEqualTo(
            "{ \"input\" : [\"caf\\u00e9\", \"x\"],\"model\":\"m1-2026\",\"dimensions\":100 ,"
                + " \"x\":[1,  2]}");
  }

  private static String upstream(EmbeddingRequest request) {
    ByteBuf all =
        Unpooled.wrappedBuffer(request.bodyFor(Samples.route(true)).toArray(ByteBuf[]::new));
    try {
      return all.toString(UTF_8);
    } finally {
      all.release();
    }
  }

  @Test
  void tokensThatAreGivenAsNumbersAreCountedAndTextsEstimated() {
    assertThat(valid("'input':[5,6,7]").promptTokensLikely()).isEqualTo(3);
    assertThat(valid("'input':[[5,6],[7]]").promptTokensLikely()).isEqualTo(3);
    assertThat(valid("'input':'" + "word".repeat(100) + "'").promptTokensLikely())
        .isBetween(100L, 101L);
  }

  @Test
  void whatIsReservedIsBoundByTheContextOfEachText() {
    String text = "'" + "x".repeat(1_000) + "'";
    EmbeddingRequest request = valid("'input':[" + text + "," + text + ",'y']");
    assertThat(request.estimate(model(0)).value()).isBetween(2_000L, 2_020L);
    assertThat(request.estimate(model(100)).value()).isBetween(201L, 210L);
    assertThat(request.promptTokensAtMost(model(100))).isEqualTo(300);
    assertThat(request.promptTokensAtMost(model(0))).isZero();
    assertThat(request.tokensEstimated(model(0))).isEqualTo(request.promptTokensLikely());
  }

  private static Model model(int contextLength) {
    return Samples.model("acme/emb", Modality.EMBEDDING, A_MICRO_A_TOKEN, contextLength, 0);
  }

  @Test
  void damagedBodiesAreAcceptedOrRefusedAndStayJson() {
    String healthy = body("'input':['some text',\"caf\\u00e9\"],'dimensions':7,'user':'u'");
    Seeds.forEach(
        random -> {
          byte[] bytes = healthy.getBytes(UTF_8);
          for (int n = random.nextInt(4); n >= 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) (32 + random.nextInt(95));
          }
          switch (EmbeddingRequest.parse(bytes, bytes.length)) {
            case ParseResult.Valid<EmbeddingRequest> valid -> {
              ClientView.tree(upstream(valid.request()));
              assertThat(valid.request().estimate(model(0)).isPositive()).isTrue();
            }
            case ParseResult.Refused<EmbeddingRequest> refused ->
                assertThat(refused.fault().code().status()).isIn(400, 501);
          }
        });
  }

  @Test
  @Tag("corpus")
  void everyRowOfTheSharedTableGetsItsVerdict() {
    List<String[]> rows =
        Corpora.rows("data/badjson.tsv").stream()
            .filter(row -> row[1].equals("POST /v1/embeddings"))
            .toList();
    assertThat(rows).hasSizeGreaterThanOrEqualTo(3);
    for (String[] row : rows) {
      byte[] bytes = Corpora.bytes("data/badjson/" + row[0]);
      Fault fault = refused(new String(Arrays.copyOf(bytes, bytes.length), UTF_8));
      assertThat(Integer.toString(fault.code().status())).isEqualTo(row[2]);
      assertThat(fault.code().wire()).isEqualTo(row[3]);
      assertThat(fault.param()).isEqualTo(row[4]);
    }
  }
}
