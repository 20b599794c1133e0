package dev.tollgate.core.api.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.RequestBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionRequestTest {
  private static final RequestBodies<CompletionRequest> BODIES =
      new RequestBodies<>("acme/m1", CompletionRequest::parse);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'prompt':'hi'",
        "'prompt':''",
        "'prompt':null",
        "'prompt':['a','']",
        "'prompt':[1,2,3]",
        "'prompt':[[1],[2,3]]",
        "'prompt':'hi','suffix':'end','echo':true,'logprobs':5,'max_tokens':0",
        "'prompt':'hi','n':1,'best_of':null",
        "'prompt':'hi','n':1,'best_of':20",
        "'prompt':'hi','n':1,'best_of':1,'stream':true",
        "'prompt':'hi','best_of':0",
        "'prompt':'hi','stream':true,'stream_options':{'include_usage':false}",
        "'prompt':'hi','stop':['a','b'],'seed':7,'logit_bias':{'50256':-100},'top_k':3",
        "'prompt':'hi','n':null,'echo':null,'suffix':null,'logprobs':null,'max_tokens':null",
      })
  void whatTheConventionAllowsIsAccepted(String members) {
    assertThat(BODIES.valid(members).target().model()).hasToString("acme/m1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'max_tokens':1 | prompt",
        "'prompt':7 | prompt",
        "'prompt':[] | prompt",
        "'prompt':['a',1] | prompt[1]",
        "'prompt':[1,'a'] | prompt[1]",
        "'prompt':[[]] | prompt[0]",
        "'prompt':'a','n':0 | n",
        "'prompt':'a','n':2 | n",
        "'prompt':'a','n':1.5 | n",
        "'prompt':'a','best_of':21 | best_of",
        "'prompt':'a','best_of':2,'stream':true | best_of",
        "'prompt':'a','echo':1 | echo",
        "'prompt':'a','logprobs':true | logprobs",
        "'prompt':'a','logprobs':6 | logprobs",
        "'prompt':'a','suffix':1 | suffix",
        "'prompt':'a','max_tokens':-1 | max_tokens",
        "'prompt':'a','temperature':2.1 | temperature",
        "'prompt':'a','stream':'yes' | stream",
        "'prompt':'a','stream_options':[] | stream_options",
        "'prompt':'a','prompt':'b' | prompt",
        "'prompt':'a','Best_of':1 | Best_of",
      })
  void whatItDoesNotAllowIsNamed(String members, String param) {
    Fault fault = BODIES.refused(members);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void usageIsRequestedOnStreamsAndTheRestIsSentByteForByte() {
    assertThat(upstream("'prompt' : 'a\\u00e9', 'routing':'cost','n':1, 'x':1e2"))
        .isEqualTo("{\"model\":\"m1-2026\",\"prompt\" : \"a\\u00e9\",\"n\":1, \"x\":1e2}");
    assertThat(upstream("'prompt':'a','stream':true"))
        .isEqualTo(
            "{\"model\":\"m1-2026\",\"prompt\":\"a\",\"stream\":true,"
                + "\"stream_options\":{\"include_usage\":true}}");
  }

  private static String upstream(String members) {
    return RequestBodies.upstream(BODIES.valid(members));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'prompt':[1,2,3],'max_tokens':10 | 10",
        "'prompt':[1,2,3],'max_tokens':0 | 0",
        "'prompt':[1,2,3] | 4096",
        "'prompt':[1,2,3],'max_tokens':10,'best_of':5 | 50",
        "'prompt':[[1],[2],[3]],'max_tokens':10,'n':1,'best_of':5 | 150",
        "'prompt':['a','b'],'max_tokens':10 | 20",
      })
  void whatIsReservedCountsEveryCandidate(String members, long outputTokens) {
    CompletionRequest request = BODIES.valid(members);
    Model outputOnly = model(TokenPrices.of(0, 1_000_000), 0);
    assertThat(request.estimate(outputOnly).value()).isEqualTo(outputTokens);
    assertThat(request.tokensEstimated(outputOnly))
        .isEqualTo(request.prompt().tokensSetAside() + outputTokens);
  }

  @Test
  void textThatIsPassedOnUnreadIsReservedForEachPrompt() {
    String unread = ",'documents':['" + "x".repeat(400) + "']";
    CompletionRequest request = BODIES.valid("'prompt':['a','b']" + unread);
    Model inputOnly = model(TokenPrices.of(1_000_000, 0), 0);
    assertThat(request.estimate(inputOnly).value()).isBetween(800L, 820L);
    assertThat(request.prompt().tokensSetAside()).isBetween(100L, 105L);
    assertThat(request.estimate(model(TokenPrices.of(1_000_000, 0), 100)).value()).isEqualTo(200);
    assertThat(BODIES.valid("'prompt':null" + unread).estimate(inputOnly).value())
        .isBetween(400L, 410L);
  }

  @Test
  void promptAndSuffixAreReservedByTheirBytesAndCountedByTheirTokens() {
    String text = "'" + "x".repeat(400) + "'";
    CompletionRequest request = BODIES.valid("'prompt':" + text + ",'suffix':" + text);
    Model inputOnly = model(TokenPrices.of(1_000_000, 0), 0);
    assertThat(request.estimate(inputOnly).value()).isBetween(800L, 820L);
    assertThat(request.prompt().tokensSetAside()).isBetween(200L, 204L);
    assertThat(BODIES.valid("'prompt':[7,8,9]").prompt().tokensSetAside()).isEqualTo(3);
  }

  @Test
  void theReplyHasOneTextForEachPrompt() {
    assertThat(BODIES.valid("'prompt':'a'").choicesAsked()).isOne();
    assertThat(BODIES.valid("'prompt':['a','b'],'best_of':4").choicesAsked()).isEqualTo(2);
    assertThat(
            BODIES
                .valid("'prompt':['a','b'],'best_of':3")
                .tokensAtMost(model(TokenPrices.of(1, 1), 100)))
        .isEqualTo(600);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'echo':true | 85 | 5",
        "'echo':true | 40 | 0",
        "'echo':false | 85 | 85",
        "'echo':null,'max_tokens':50 | 85 | 50",
        "'echo':true,'max_tokens':0 | 85 | 0",
        "'best_of':2,'max_tokens':50 | 185 | 100",
        "'echo':true | 1000000 | 999920"
      })
  void repeatedOrSurplusTextIsNotCountedAsWritten(String members, long delivered, long written) {
    CompletionRequest request = BODIES.valid("'prompt':'" + "x".repeat(398) + "'," + members);
    assertThat(request.writtenLikely(delivered, model(TokenPrices.of(1, 1), 0))).isEqualTo(written);
  }

  private static Model model(TokenPrices prices, int contextLength) {
    PriceList list = PriceList.ofTokens(prices);
    return Samples.model("acme/m1", Modality.COMPLETION, list, contextLength, 0);
  }

  @Test
  void itsStreamCanBeNeitherHedgedNorContinued() {
    CompletionRequest request =
        BODIES.valid("'prompt':'a','stream':true,'routing':{'resume':'auto'}");
    assertThat(request.mayBeHedged()).isFalse();
    assertThat(request.mayBeResumed()).isFalse();
  }

  @Test
  void damagedBodiesAreAcceptedOrRefusedAndStayJson() {
    BODIES.assertDamagedBodies(
        "'prompt':['some','text'],'n':1,'best_of':3,'stream':false,'suffix':''",
        request -> {
          assertThat(request.estimate(Samples.model()).isPositive()).isTrue();
          assertThat(request.promptPrefix()).isNotEmpty();
        },
        _ -> {});
  }
}
