package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Strict tools are enforced, or named where the provider does not enforce their schemas. */
class StrictToolsTest {
  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5, auto, false",
    "bedrock, us.anthropic.claude-sonnet-4-5-v1:0, auto, false",
    "bedrock, amazon.nova-pro-v1:0, auto, true",
    "cohere, command-a-03-2025, auto, false",
    "gemini, gemini-2.5-flash, auto, true",
    "gemini, gemini-2.5-flash, required, false",
    "ollama, qwen3, auto, true",
  })
  void areEnforcedOrNamed(String dialect, String model, String choice, boolean isNamed)
      throws Exception {
    for (boolean isStrict : new boolean[] {true, false}) {
      String json =
          """
          {'model':'a/b','messages':[{'role':'user','content':'q'}],'tool_choice':'%s','tools':[
            {'type':'function','function':{'name':'f','strict':%s,'parameters':{'type':'object',
            'properties':{'a':{'type':'string'}},'required':['a'],'additionalProperties':false}}}]}
          """
              .formatted(choice, isStrict)
              .replace('\'', '"');
      List<String> dropped = ConfiguredModel.of(dialect, model).of(json).dropped();
      assertThat(dropped.contains("tools[0].function.strict")).isEqualTo(isNamed && isStrict);
    }
  }
}
