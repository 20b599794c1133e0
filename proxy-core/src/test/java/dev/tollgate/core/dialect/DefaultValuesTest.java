package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenAI's default values and null change no answer, so no provider misses them. */
class DefaultValuesTest {
  private static final String[] MEMBERS = {
    "'service_tier':null",
    "'service_tier':'auto'",
    "'modalities':['text']",
    "'modalities':null",
    "'verbosity':'medium'",
    "'verbosity':null",
    "'logprobs':false",
    "'presence_penalty':0",
    "'parallel_tool_calls':true",
    "'logit_bias':{}",
  };

  private static String chat(String member) {
    String chat = "{'model':'a/b','messages':[{'role':'user','content':'q'}]," + member + "}";
    return chat.replace('\'', '"');
  }

  @ParameterizedTest
  @EnumSource
  void areNamedNowhere(RefusingProvider provider) throws Exception {
    for (String member : MEMBERS) {
      assertThat(provider.sent(chat(member)).dropped()).as(member).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void areNamedAtNoServer(KnownServer server) throws Exception {
    for (String member : MEMBERS) {
      byte[] json = chat(member).getBytes(UTF_8);
      JsonMembers chat = JsonMembers.of(json, 0, json.length);
      Quirks quirks = new Quirks(true, server.prefill(), server.quirks());
      assertThat(AdaptedChat.addEdits(JsonSplice.of(chat), chat, quirks, false))
          .as(member)
          .isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"'verbosity':'low'", "'modalities':['text','audio']"})
  void otherValuesAreNamed(String member) throws Exception {
    assertThat(RefusingProvider.ANTHROPIC.sent(chat(member)).dropped()).hasSize(1);
  }
}
