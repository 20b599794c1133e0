package dev.tollgate.core.dialect;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.anthropic.AnthropicUsage;
import dev.tollgate.core.dialect.bedrock.BedrockUsage;
import dev.tollgate.core.dialect.cohere.CohereUsage;
import dev.tollgate.core.dialect.gemini.GeminiUsage;
import dev.tollgate.core.dialect.ollama.OllamaUsage;
import dev.tollgate.core.dialect.openai.ImageUsage;
import dev.tollgate.core.dialect.openai.OpenAiUsage;
import dev.tollgate.core.dialect.openai.ResponsesUsage;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Usage objects of every provider in OpenAI's terms; OpenAI's chat has a test of its own. */
class UsageFormatTest {
  private static final Map<String, UsageFormat> FORMATS =
      Map.of(
          "ANTHROPIC", AnthropicUsage.FORMAT,
          "BEDROCK", BedrockUsage.FORMAT,
          "GEMINI", GeminiUsage.FORMAT,
          "COHERE", CohereUsage.FORMAT,
          "OLLAMA", OllamaUsage.FORMAT,
          "OPENAI", OpenAiUsage.FORMAT,
          "OPENAI_RESPONSES", ResponsesUsage.FORMAT,
          "OPENAI_IMAGES", ImageUsage.FORMAT);

  // prompt, completion; cached, written, of these for an hour, audio in; reasoning, audio out.
  private static final String READ =
      """
      ANTHROPIC | {'input_tokens':10,'output_tokens':21} | 10 21 0 0 0 0 0 0
      ANTHROPIC | {'input_tokens':10,'cache_creation_input_tokens':2,'cache_read_input_tokens':1,\
      'output_tokens':21} | 13 21 1 2 0 0 0 0
      ANTHROPIC | {'input_tokens':10,'cache_creation_input_tokens':1000,'cache_creation':\
      {'ephemeral_5m_input_tokens':300,'ephemeral_1h_input_tokens':700},'output_tokens':1} |\
       1010 1 0 1000 700 0 0 0
      ANTHROPIC | {'input_tokens':10,'cache_creation':{'ephemeral_5m_input_tokens':300,\
      'ephemeral_1h_input_tokens':700},'output_tokens':1} | 1010 1 0 1000 700 0 0 0
      ANTHROPIC | {'input_tokens':0,'cache_creation':null,'cache_read_input_tokens':null,\
      'output_tokens':92,'output_tokens_details':{'thinking_tokens':53}} | 0 92 0 0 0 0 53 0
      BEDROCK | {'inputTokens':12,'outputTokens':250,'totalTokens':262} | 12 250 0 0 0 0 0 0
      BEDROCK | {'inputTokens':12,'outputTokens':250,'totalTokens':1290,'cacheReadInputTokens':1028,\
      'cacheReadInputTokenCount':1028,'cacheWriteInputTokens':7} | 1047 250 1028 7 0 0 0 0
      BEDROCK | {'inputTokens':12,'outputTokens':13,'cacheReadInputTokenCount':5} |\
       17 13 5 0 0 0 0 0
      BEDROCK | {'inputTokens':10,'outputTokens':1,'cacheWriteInputTokens':5000,'cacheDetails':\
      [{'ttl':'5m','inputTokens':1000},{'ttl':'1h','inputTokens':4000}]} | 5010 1 0 5000 4000 0 0 0
      BEDROCK | {'inputTokens':10,'outputTokens':1,'cacheWriteInputTokens':5,'cacheDetails':\
      [7,{'ttl':'1h'},{'ttl':'1h','inputTokens':4000}]} | 15 1 0 5 5 0 0 0
      GEMINI | {'promptTokenCount':421,'candidatesTokenCount':36,'thoughtsTokenCount':103} |\
       421 139 0 0 0 0 103 0
      GEMINI | {'promptTokenCount':10,'toolUsePromptTokenCount':73,'candidatesTokenCount':30,\
      'thoughtsTokenCount':109,'totalTokenCount':222} | 83 139 0 0 0 0 109 0
      GEMINI | {'promptTokenCount':100,'cachedContentTokenCount':60,'candidatesTokenCount':5,\
      'promptTokensDetails':[{'modality':'TEXT','tokenCount':70},{'modality':'AUDIO',\
      'tokenCount':30}],'candidatesTokensDetails':[{'modality':'AUDIO','tokenCount':4}]} |\
       100 5 60 0 0 30 0 4
      GEMINI | {'trafficType':'ON_DEMAND'} | 0 0 0 0 0 0 0 0
      GEMINI | {'promptTokenCount':3,'promptTokensDetails':[7,{},{'modality':'AUDIO'}]} |\
       3 0 0 0 0 0 0 0
      COHERE | {'billed_units':{'input_tokens':83,'output_tokens':13},'tokens':\
      {'input_tokens':1602,'output_tokens':24},'cached_tokens':16} | 1602 24 16 0 0 0 0 0
      COHERE | {'tokens':{'input_tokens':508,'output_tokens':86,'reasoning_tokens':28}} |\
       508 86 0 0 0 0 28 0
      OPENAI_RESPONSES | {'input_tokens':18,'output_tokens':129,'total_tokens':147} |\
       18 129 0 0 0 0 0 0
      OPENAI_RESPONSES | {'input_tokens':3253,'input_tokens_details':{'cached_tokens':1499,\
      'cache_write_tokens':12},'output_tokens':641,'output_tokens_details':\
      {'reasoning_tokens':548}} | 3253 641 1499 12 0 0 548 0
      OPENAI_RESPONSES | {'type':'tokens','input_tokens':14,'input_token_details':\
      {'text_tokens':0,'audio_tokens':14},'output_tokens':45} | 14 45 0 0 0 14 0 0
      OPENAI_IMAGES | {'input_tokens':100,'input_tokens_details':{'image_tokens':40,\
      'cached_tokens':20},'output_tokens':30,'output_tokens_details':{'reasoning_tokens':7}} |\
       100 30 20 0 0 0 7 0
      OPENAI_IMAGES | {'prompt_tokens':10,'prompt_tokens_details':{'cached_tokens':20},\
      'completion_tokens':30,'completion_tokens_details':{'reasoning_tokens':7}} |\
       10 30 10 0 0 0 7 0
      OPENAI | {'prompt_tokens':100,'completion_tokens':1,'cache_creation_input_tokens':80,\
      'cache_creation':{'ephemeral_1h_input_tokens':80}} | 100 1 0 80 80 0 0 0
      """;

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = READ)
  void everyProvidersCountsMeanTheSame(String format, String json, String counts) {
    Usage usage = read(requireNonNull(FORMATS.get(format)), json, 0).orElseThrow();
    assertThat(
            "%d %d %d %d %d %d %d %d"
                .formatted(
                    usage.promptTokens(),
                    usage.completionTokens(),
                    usage.cachedTokens(),
                    usage.cacheWriteTokens(),
                    usage.cacheWrite1hTokens(),
                    usage.audioInputTokens(),
                    usage.reasoningTokens(),
                    usage.audioOutputTokens()))
        .isEqualTo(counts);
    assertThat(usage.billedOnTop()).isZero();
    assertThat(usage.estimated()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ANTHROPIC | {'input_tokens':10}",
        "ANTHROPIC | {'input_tokens':10,'output_tokens':-1}",
        "BEDROCK | {'outputTokens':10}",
        "BEDROCK | {'inputTokens':'7','outputTokens':10}",
        "GEMINI | {'promptTokenCount':-1}",
        "GEMINI | {'promptTokenCount':1,'candidatesTokenCount':1e9}",
        "COHERE | {'billed_units':{'input_tokens':83,'output_tokens':13}}",
        "COHERE | {'tokens':[]}",
        "OLLAMA | {'eval_count':7}",
        "OLLAMA | {'prompt_eval_count':7}",
        "COHERE | {'tokens':{'input_tokens':1.5,'output_tokens':13}}",
        "OPENAI_RESPONSES | {'prompt_tokens':1,'completion_tokens':1}",
        "OPENAI | {'input_tokens':1,'output_tokens':1}",
      })
  void anObjectWithoutTheNeededCountsIsNoUsage(String format, String json) {
    assertThat(read(requireNonNull(FORMATS.get(format)), json, 0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"999, false", "1000, true"})
  void aPromptWithItsCacheMustFitTheContext(int contextLength, boolean isSound) {
    String json =
        "{'input_tokens':10,'cache_read_input_tokens':900,'cache_creation_input_tokens':90,"
            + "'output_tokens':1}";
    assertThat(read(AnthropicUsage.FORMAT, json, contextLength).isPresent()).isEqualTo(isSound);
  }

  private static Optional<Usage> read(UsageFormat format, String json, int contextLength) {
    byte[] bytes = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    try {
      return format.read(JsonMembers.of(bytes, 0, bytes.length), contextLength);
    } catch (InvalidJson e) {
      throw new AssertionError(e);
    }
  }
}
