package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.prompt.TextRatio;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reservations for chats: the highest possible cost of a body
 * (docs/decisions/money.md#reservations).
 */
class ChatEstimateTest {
  private static final TokenPrices PRICES = new TokenPrices(1, 1, 2, 3, 50, 4, 5, 60);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // A prompt written to a cache for an hour, an output of reasoning.
        "'hi' | `` | 3 | 5",
        "[{'type':'text','text':'hi'}] | `` | 3 | 5",
        "[{'type':'image_url','image_url':{'url':'https://e.x/i.png'}}] | `` | 3 | 5",
        "[{'type':'input_audio','input_audio':{'data':'AAAA','format':'wav'}}] | `` | 50 | 60",
        "[{'type':'file','file':{'file_id':'f1'}}] | `` | 50 | 60",
        "'hi' | 'modalities':['text','audio'], | 50 | 60",
        "'hi' | 'audio':{'voice':'alloy','format':'wav'}, | 50 | 60",
      })
  void theEstimateTakesTheDearestPriceThatARequestCanMeet(
      String content, String members, long perInput, long perOutput) {
    String body =
        ("{'model':'acme/m1',"
                + members
                + "'max_tokens':1,'messages':[{'role':'user','content':"
                + content
                + "}]}")
            .replace('\'', '"');
    long million = 1_000_000;
    PriceList inputs = PriceList.ofTokens(scaled(PRICES, million, 0));
    PriceList both = PriceList.ofTokens(scaled(PRICES, million, million));
    ChatRequest request = ChatBodies.valid(body);
    long input = request.estimate(priced(inputs)).value();
    assertThat(input % perInput).isZero();
    long plain = request.estimate(priced(PriceList.ofTokens(TokenPrices.of(million, 0)))).value();
    assertThat(input).isEqualTo(plain * perInput);
    assertThat(request.estimate(priced(both)).value()).isEqualTo(input + perOutput);
  }

  private static TokenPrices scaled(TokenPrices p, long in, long out) {
    return new TokenPrices(
        p.input() * in,
        p.cachedInput() * in,
        p.cacheWrite() * in,
        p.cacheWrite1h() * in,
        p.audioInput() * in,
        p.output() * out,
        p.reasoning() * out,
        p.audioOutput() * out);
  }

  private static Model priced(PriceList prices) {
    return Samples.model("acme/m1", Modality.CHAT, prices, 0, 0);
  }

  @Test
  void aLongPromptIsReservedAtTheTierItMayReach() {
    PriceList tiered =
        new PriceList(
            TokenPrices.of(1_000_000, 0),
            List.of(new Tier(1_000, TokenPrices.of(2_000_000, 0))),
            7_000_000,
            0,
            0,
            List.of(),
            0,
            0);
    ChatRequest longer = ChatBodies.valid(longPrompt(4_000));
    long atBase = longer.estimate(priced(PriceList.ofTokens(TokenPrices.of(1_000_000, 0)))).value();
    assertThat(atBase).isGreaterThan(2_000);
    assertThat(longer.estimate(priced(tiered)).value()).isEqualTo(7 + 2 * atBase);
    assertThat(ChatBodies.valid(longPrompt(10)).estimate(priced(tiered)).value()).isLessThan(100);
  }

  @Test
  void whatIsNotKnownOfAFileCanFillTheContextAndNotMore() {
    String body =
        "{'model':'acme/m1','max_tokens':1,'messages':[{'role':'user','content':"
            + "[{'type':'file','file':{'file_id':'f'}},{'type':'image_url','image_url':{'url':'u'}}]}]}";
    PriceList prices = PriceList.ofTokens(TokenPrices.of(1_000_000, 0));
    Model model = Samples.model("acme/m1", Modality.CHAT, prices, 32_000, 0);
    assertThat(ChatBodies.valid(body.replace('\'', '"')).estimate(model).value()).isEqualTo(32_000);
  }

  private static String longPrompt(int length) {
    return "{\"model\":\"acme/m1\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\","
        + "\"content\":\""
        + "x".repeat(length)
        + "\"}]}";
  }

  @ParameterizedTest
  @CsvSource({
    "image_url, url, 1000000, 5000",
    "input_audio, data, 1000000, 8000",
    "input_audio, data, 4, 1500",
    "file, file_data, 1000000, 500000",
    "file, file_data, 4, 1500",
    "file, file_id, 4, 200000",
    "video_url, url, 4, 200000"
  })
  void mediaInsideABodyIsBoundByItsSizeIfMeaningful(
      String type, String member, int sizeBytes, long tokens) {
    String body =
        ("{'model':'acme/m1','max_tokens':1,'messages':[{'role':'user','content':[{'type':'"
                + type
                + "','"
                + type
                + "':{'"
                + member
                + "':'"
                + "A".repeat(sizeBytes)
                + "'}}]}]}")
            .replace('\'', '"');
    long estimate =
        ChatBodies.valid(body)
            .estimate(priced(PriceList.ofTokens(TokenPrices.of(1_000_000, 0))))
            .value();
    assertThat(estimate).isBetween(tokens, tokens + 100);
  }

  @Test
  void theLikelyTokensOfATextFileAreThoseOfItsText() {
    byte[] text = "0 1 2 3 4 5 6 7 8 9 ".repeat(15_000).getBytes(UTF_8);
    String body =
        ("{'model':'acme/m1','messages':[{'role':'user','content':[{'type':'file','file':"
                + "{'file_data':'data:text/plain;base64,"
                + Base64.getEncoder().encodeToString(text)
                + "'}}]}]}")
            .replace('\'', '"');
    Model model = priced(PriceList.ofTokens(TokenPrices.of(1_000_000, 0)));
    assertThat(ChatBodies.valid(body).prompt().tokensLikely(model, TextRatio.USUAL))
        .isBetween(90_000L, 300_000L);
  }
}
