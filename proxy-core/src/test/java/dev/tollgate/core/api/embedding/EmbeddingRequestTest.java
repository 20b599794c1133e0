package dev.tollgate.core.api.embedding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ChatBodies;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddingRequestTest {
  private static final PriceList A_MICRO_A_TOKEN = PriceList.ofTokens(TokenPrices.of(1_000_000, 0));

  private static final RequestBodies<EmbeddingRequest> BODIES =
      new RequestBodies<>("acme/emb", EmbeddingRequest::parse);

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
    assertThat(BODIES.valid(members).target().model()).hasToString("acme/emb");
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
    Fault fault = BODIES.refused(members);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void atMost2048TextsAreTaken() {
    String texts = "'a'" + ",'a'".repeat(2_047);
    assertThat(BODIES.valid("'input':[" + texts + "]").prompt().tokensSetAside()).isEqualTo(2_048);
    assertThat(BODIES.refused("'input':[" + texts + ",'a']").param()).isEqualTo("input");
  }

  @Test
  void allIssuesAreReportedAtOnce() {
    Fault fault =
        BODIES.refused(
            "{\"dimensions\":0,\"encoding_format\":\"x\",\"model\":\"m/\"}".getBytes(UTF_8));
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
    assertThat(RequestBodies.upstream(request))
        .isEqualTo(
            "{ \"input\" : [\"caf\\u00e9\", \"x\"],\"model\":\"m1-2026\",\"dimensions\":100 ,"
                + " \"x\":[1,  2]}");
  }

  @Test
  void tokensThatAreGivenAsNumbersAreCountedAndTextsEstimated() {
    assertThat(BODIES.valid("'input':[5,6,7]").prompt().tokensSetAside()).isEqualTo(3);
    assertThat(BODIES.valid("'input':[[5,6],[7]]").prompt().tokensSetAside()).isEqualTo(3);
    assertThat(BODIES.valid("'input':'" + "word".repeat(100) + "'").prompt().tokensSetAside())
        .isBetween(100L, 101L);
  }

  @Test
  void textThatIsPassedOnUnreadIsReservedForEachText() {
    EmbeddingRequest request =
        BODIES.valid("'input':['a','b'],'instruction':'" + "x".repeat(400) + "'");
    assertThat(request.estimate(model(0)).value()).isBetween(800L, 820L);
    assertThat(request.prompt().tokensSetAside()).isBetween(100L, 105L);
  }

  @Test
  void whatIsReservedIsBoundByTheContextOfEachText() {
    String text = "'" + "x".repeat(1_000) + "'";
    EmbeddingRequest request = BODIES.valid("'input':[" + text + "," + text + ",'y']");
    assertThat(request.estimate(model(0)).value()).isBetween(2_000L, 2_020L);
    assertThat(request.estimate(model(100)).value()).isBetween(201L, 210L);
    assertThat(request.promptTokensAtMost(model(100))).isEqualTo(300);
    assertThat(request.promptTokensAtMost(model(0))).isZero();
    assertThat(request.tokensEstimated(model(0))).isEqualTo(request.prompt().tokensSetAside());
  }

  private static Model model(int contextLength) {
    return Samples.model("acme/emb", Modality.EMBEDDING, A_MICRO_A_TOKEN, contextLength, 0);
  }

  @Test
  void damagedBodiesAreAcceptedOrRefusedAndStayJson() {
    BODIES.assertDamagedBodies(
        "'input':['some text',\"caf\\u00e9\"],'dimensions':7,'user':'u'",
        request -> assertThat(request.estimate(model(0)).isPositive()).isTrue(),
        _ -> {});
  }

  @Test
  @Tag("corpus")
  void everyRowOfTheSharedTableGetsItsVerdict() {
    BODIES.assertSharedVerdicts("POST /v1/embeddings", 3);
  }
}
