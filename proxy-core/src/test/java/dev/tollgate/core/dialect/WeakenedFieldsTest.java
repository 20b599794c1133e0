package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.InvalidJson;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value that a provider gets otherwise than the client sent it is named. */
class WeakenedFieldsTest {
  private static final String CLAUDE = "anthropic claude-haiku-4-5 | ";
  private static final String CONVERSE = "bedrock us.anthropic.claude-haiku-4-5-v1:0 | ";
  private static final String NOVA = "bedrock us.amazon.nova-2-lite-v1:0 | ";
  private static final String GEMINI_2 = "gemini gemini-2.5-flash | ";
  private static final String GEMINI_3 = "gemini gemini-3-flash-preview | ";
  private static final String COHERE = "cohere command-a-03-2025 | ";
  private static final String OLLAMA = "ollama gpt-oss:20b | ";

  private static TranslatedRequest sent(String model, String members) throws InvalidJson {
    String[] names = model.split(" ", 2);
    return ConfiguredModel.of(names[0], names[1])
        .able("reasoning")
        .atMost(8_192)
        .of("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]," + json(members) + "}");
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        CLAUDE + "'max_tokens':20000 | 'max_tokens':8192 | max_tokens",
        CLAUDE + "'max_completion_tokens':8193 | 'max_tokens':8192 | max_completion_tokens",
        CLAUDE + "'temperature':1.5 | 'temperature':1 | temperature",
        CLAUDE
            + "'reasoning':{'max_tokens':30000},'max_tokens':8000"
            + " | 'budget_tokens':7999 | reasoning.max_tokens",
        CLAUDE
            + "'reasoning':{'max_tokens':5},'max_tokens':8000"
            + " | 'budget_tokens':1024 | reasoning.max_tokens",
        "anthropic claude-opus-4-6 | 'reasoning':{'max_tokens':2000}"
            + " | 'type':'adaptive' | reasoning.max_tokens",
        CONVERSE + "'max_tokens':20000 | 'maxTokens':8192 | max_tokens",
        CONVERSE + "'temperature':1.5 | 'temperature':1 | temperature",
        CONVERSE
            + "'reasoning':{'max_tokens':90},'max_tokens':8000"
            + " | 'budget_tokens':1024 | reasoning.max_tokens",
        NOVA
            + "'reasoning_effort':'high','max_tokens':9 | 'maxReasoningEffort':'medium'"
            + " | reasoning_effort",
        NOVA + "'reasoning':{'effort':'xhigh'} | 'maxReasoningEffort':'high' | reasoning.effort",
        "bedrock openai.gpt-oss-120b-1:0 | 'reasoning':{'max_tokens':90}"
            + " | 'reasoning_effort':'medium' | reasoning.max_tokens",
        GEMINI_2 + "'max_tokens':20000 | 'maxOutputTokens':8192 | max_tokens",
        GEMINI_2
            + "'reasoning':{'max_tokens':60000} | 'thinkingBudget':24576 | reasoning.max_tokens",
        "gemini gemini-2.5-flash-lite | 'reasoning':{'max_tokens':5}"
            + " | 'thinkingBudget':512 | reasoning.max_tokens",
        "gemini gemini-2.5-pro | 'reasoning':{'max_tokens':5}"
            + " | 'thinkingBudget':128 | reasoning.max_tokens",
        GEMINI_3 + "'reasoning_effort':'max' | 'thinkingLevel':'high' | reasoning_effort",
        COHERE + "'temperature':1.01 | 'temperature':1 | temperature",
        COHERE + "'top_p':0 | 'p':0.01 | top_p",
        COHERE + "'top_p':0.999 | 'p':0.99 | top_p",
        COHERE + "'top_k':501 | 'k':500 | top_k",
        COHERE + "'frequency_penalty':1.5 | 'frequency_penalty':1 | frequency_penalty",
        COHERE + "'presence_penalty':2 | 'presence_penalty':1 | presence_penalty",
        COHERE + "'stop':['a','b','c','d','e','f'] | 'stop_sequences':['a','b','c','d','e'] | stop",
        OLLAMA + "'reasoning_effort':'xhigh' | 'think':'high' | reasoning_effort",
        OLLAMA + "'reasoning':{'max_tokens':90} | 'think':true | reasoning.max_tokens"
      })
  void aChangedValueIsNamed(String model, String members, String sent, String dropped)
      throws InvalidJson {
    TranslatedRequest chat = sent(model, members);
    assertThat(chat.body().toString(UTF_8)).contains(json(sent));
    assertThat(chat.dropped()).isEqualTo(List.of(dropped));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        CLAUDE + "'max_tokens':8192,'temperature':1.0,'top_k':-1",
        CONVERSE + "'max_tokens':8192,'temperature':0.5",
        NOVA + "'reasoning_effort':'low','max_tokens':9",
        GEMINI_2 + "'max_tokens':8192,'temperature':2,'reasoning':{'max_tokens':2000}",
        GEMINI_3 + "'reasoning_effort':'high'",
        COHERE + "'temperature':1,'top_p':1,'top_k':500,'frequency_penalty':1,'max_tokens':20000",
        OLLAMA + "'temperature':2,'max_tokens':20000,'reasoning_effort':'high'"
      })
  void aValueWithinTheBoundsIsNot(String model, String members) throws InvalidJson {
    assertThat(sent(model, members).dropped()).isEmpty();
  }

  @Test
  void aBoundOfTheAnswerIsSupportedEvenIfItIsLowered() throws InvalidJson {
    TranslatedRequest chat = sent("anthropic claude-haiku-4-5", "'max_tokens':20000,'seed':7");
    assertThat(chat.dropped()).containsExactly("max_tokens", "seed");
    assertThat(chat.unsupported()).containsExactly("seed");
  }
}
