package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Any chat that OpenAI's schema allows ends in a request that its provider accepts, or in a refusal
 * of ours that names a member. What OpenAI itself refuses of a chat stays its own refusal.
 */
class AnyChatTest {
  private static final int SEEDS = Integer.getInteger("tollgate.chats", 300);

  @ParameterizedTest
  @EnumSource
  void isAcceptedOrRefusedByUsWithAParam(RefusingProvider provider) {
    Seeds.forEach(
        SEEDS,
        random -> {
          String chat = AnyChat.of(random);
          switch (ChatRequest.parse(chat.getBytes(UTF_8), chat.getBytes(UTF_8).length)) {
            case ParseResult.Refused<ChatRequest>(Fault fault) ->
                assertThat(fault.param()).as(chat).isNotEmpty();
            case ParseResult.Valid<ChatRequest>(ChatRequest request) -> {
              if (request.unservable(provider.model().route()).isEmpty()) {
                RefusingProvider.Sent sent = provider.sent(chat);
                assertThat(refusals(provider, chat, sent))
                    .as("%s became %s", chat, sent.body())
                    .isEmpty();
              }
            }
          }
        });
  }

  private static List<String> refusals(
      RefusingProvider provider, String chat, RefusingProvider.Sent sent) throws Exception {
    List<String> all = new ArrayList<>(provider.refusals(sent.body()));
    if (provider.isOpenAis()) {
      all.removeAll(provider.refusals(chat));
    }
    return all;
  }
}
