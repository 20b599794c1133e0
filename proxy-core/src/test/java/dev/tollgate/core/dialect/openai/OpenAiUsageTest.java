package dev.tollgate.core.dialect.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Usage objects as providers write them, and what each costs, worked out by hand. */
public class OpenAiUsageTest {
  /** In pico-USD per token: 2.5 and 10 USD per million, cached a tenth, written a quarter more. */
  private static final PriceList LIST =
      PriceList.ofTokens(
          new TokenPrices(
              2_500_000,
              250_000,
              3_125_000,
              5_000_000,
              40_000_000,
              10_000_000,
              12_000_000,
              80_000_000));

  /** 0.15 and 0.6 USD per million, cached half. */
  private static final PriceList SMALL =
      PriceList.ofTokens(
          new TokenPrices(150_000, 75_000, 150_000, 150_000, 150_000, 600_000, 600_000, 600_000));

  // prompt, completion, cached, written, reasoning, on top; then micro-USD by LIST and by SMALL.
  private static final String PRICED =
      """
      {'prompt_tokens':1,'completion_tokens':1,'total_tokens':2} | 1 1 0 0 0 0 | 13 | 1
      {'prompt_tokens':0,'completion_tokens':0,'total_tokens':0} | 0 0 0 0 0 0 | 0 | 0
      {'prompt_tokens':1,'completion_tokens':0} | 1 0 0 0 0 0 | 3 | 1
      {'prompt_tokens':3,'completion_tokens':0} | 3 0 0 0 0 0 | 8 | 1
      {'prompt_tokens':10,'completion_tokens':0} | 10 0 0 0 0 0 | 25 | 2
      {'prompt_tokens':7,'completion_tokens':3} | 7 3 0 0 0 0 | 48 | 3
      {'prompt_tokens':1000,'completion_tokens':500} | 1000 500 0 0 0 0 | 7500 | 450
      {'completion_tokens':2,'prompt_tokens':8,'x':{'y':[]}} | 8 2 0 0 0 0 | 40 | 2
      {'prompt_tokens':1000,'completion_tokens':0,\
      'prompt_tokens_details':{'cached_tokens':600}} | 1000 0 600 0 0 0 | 1150 | 105
      {'prompt_tokens':1000,'completion_tokens':0,'prompt_tokens_details':null} |\
       1000 0 0 0 0 0 | 2500 | 150
      {'prompt_tokens':1000,'completion_tokens':0,'prompt_tokens_details':[]} | 1000 0 0 0 0 0 |\
       2500 | 150
      {'prompt_tokens':10,'completion_tokens':1,'prompt_tokens_details':{'cached_tokens':161}} |\
       10 1 10 0 0 0 | 13 | 1
      {'prompt_tokens':100,'completion_tokens':0,'prompt_cache_hit_tokens':64,\
      'prompt_cache_miss_tokens':36} | 100 0 64 0 0 0 | 106 | 10
      {'prompt_tokens':100,'completion_tokens':0,'num_cached_tokens':64} | 100 0 64 0 0 0 | 106 | 10
      {'prompt_tokens':100,'completion_tokens':0,'cached_tokens':64} | 100 0 64 0 0 0 | 106 | 10
      {'prompt_tokens':100,'completion_tokens':0,'cache_read_input_tokens':64,\
      'cache_creation_input_tokens':36} | 100 0 64 36 0 0 | 129 | 10
      {'prompt_tokens':1220,'completion_tokens':100,'prompt_tokens_details':{'cached_tokens':0,\
      'cache_write_tokens':1217}} | 1220 100 0 1217 0 0 | 4811 | 243
      {'prompt_tokens':100,'completion_tokens':0,'prompt_tokens_details':{'cached_tokens':80,\
      'cache_write_tokens':80}} | 100 0 80 80 0 0 | 83 | 9
      {'prompt_tokens':100,'completion_tokens':0,\
      'prompt_tokens_details':{'cache_creation_input_tokens':100}} | 100 0 0 100 0 0 | 313 | 15
      {'prompt_tokens':0,'completion_tokens':100,\
      'completion_tokens_details':{'reasoning_tokens':60}} | 0 100 0 0 60 0 | 1120 | 60
      {'prompt_tokens':0,'completion_tokens':100,\
      'completion_tokens_details':{'reasoning_tokens':160}} | 0 100 0 0 160 0 | 1200 | 60
      {'prompt_tokens':0,'completion_tokens':100,'reasoning_tokens':60} | 0 100 0 0 60 0 | 1120 | 60
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':331,\
      'completion_tokens_details':{'reasoning_tokens':290}} | 10 31 0 0 290 290 | 3815 | 194
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':330,\
      'completion_tokens_details':{'reasoning_tokens':290}} | 10 31 0 0 290 0 | 397 | 20
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':400} | 10 31 0 0 0 0 | 335 | 20
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':5} | 10 31 0 0 0 0 | 335 | 20
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':null} | 10 31 0 0 0 0 | 335 | 20
      {'prompt_tokens':10,'completion_tokens':31,'total_tokens':'x'} | 10 31 0 0 0 0 | 335 | 20
      {'prompt_tokens':100,'completion_tokens':0,'prompt_tokens_details':{'audio_tokens':40}} |\
       100 0 0 0 0 0 | 1750 | 15
      {'prompt_tokens':0,'completion_tokens':100,'completion_tokens_details':{'audio_tokens':40,\
      'reasoning_tokens':100}} | 0 100 0 0 100 0 | 3920 | 60
      {'prompt_tokens':100,'completion_tokens':10,'prompt_tokens_details':{'cached_tokens':-5},\
      'completion_tokens_details':{'reasoning_tokens':1.5}} | 100 10 0 0 0 0 | 350 | 21
      {'prompt_tokens':100000000,'completion_tokens':100000000} | 100000000 100000000 0 0 0 0 |\
       1250000000 | 75000000
      """;

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = PRICED)
  void anObjectIsReadInOneWayAndCostsWhatItCosts(
      String json, String tokens, long micro, long microSmall) {
    Usage usage = read(json, 0).orElseThrow();
    assertThat(
            "%d %d %d %d %d %d"
                .formatted(
                    usage.promptTokens(),
                    usage.completionTokens(),
                    usage.cachedTokens(),
                    usage.cacheWriteTokens(),
                    usage.reasoningTokens(),
                    usage.billedOnTop()))
        .isEqualTo(tokens);
    assertThat(usage.estimated()).isFalse();
    assertThat(Cost.ofTokens(usage, LIST).value()).isEqualTo(micro);
    assertThat(Cost.ofTokens(usage, SMALL).value()).isEqualTo(microSmall);
    assertThat(Cost.ofTokens(usage, PriceList.FREE).value()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}",
        "{'prompt_tokens':1}",
        "{'completion_tokens':1}",
        "{'prompt_tokens':null,'completion_tokens':1}",
        "{'prompt_tokens':-1,'completion_tokens':1}",
        "{'prompt_tokens':1,'completion_tokens':-1}",
        "{'prompt_tokens':1.5,'completion_tokens':1}",
        "{'prompt_tokens':'7','completion_tokens':1}",
        "{'prompt_tokens':1,'completion_tokens':1000000000000}",
        "{'prompt_tokens':1e-3,'completion_tokens':1}",
        "{'prompt_tokens':[],'completion_tokens':{}}",
        "{'prompt_tokens':99999999999999999999,'completion_tokens':1}"
      })
  void anAbsurdObjectIsNoUsage(String json) {
    assertThat(read(json, 0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1000, 0, true", "1001, 0, false", "0, 1000, true", "0, 1001, false"})
  void nothingCanBeLongerThanTheContext(long prompt, long completion, boolean isSound) {
    String json = "{'prompt_tokens':" + prompt + ",'completion_tokens':" + completion + "}";
    assertThat(read(json, 1_000).isPresent()).isEqualTo(isSound);
    assertThat(read(json, 0)).isPresent();
  }

  private static Optional<Usage> read(String json, int contextLength) {
    byte[] bytes = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    try {
      return OpenAiUsage.FORMAT.read(JsonMembers.of(bytes, 0, bytes.length), contextLength);
    } catch (InvalidJson e) {
      throw new AssertionError(e);
    }
  }
}
