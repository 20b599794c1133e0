package dev.tollgate.core.api.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ChatBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Members that a chat passes on unread: a provider may take their text for prompt. */
class UnreadMembersTest {
  private static final Model A_MICRO_A_TOKEN =
      Samples.model(
          "acme/m1", Modality.CHAT, PriceList.ofTokens(TokenPrices.of(1_000_000, 0)), 0, 0);

  @Test
  void textInAMemberThatIsPassedOnUnreadCountsAsPrompt() {
    String text = "hello world ".repeat(8_000);
    for (String members :
        List.of(
            "\"documents\":[{\"text\":\"" + text + "\"}]",
            "\"prediction\":{\"type\":\"content\",\"content\":\"" + text + "\"}",
            "\"x\":\"" + text + "\"",
            "\"x\":{\"" + "n".repeat(1_000) + "\":\"" + text + "\"},\"x\":1")) {
      ChatRequest request = ChatBodies.valid(ChatBodies.with(members));
      assertThat(request.estimate(A_MICRO_A_TOKEN).value()).isBetween(96_000L, 97_200L);
      assertThat(request.prompt().tokensSetAside()).isBetween(24_000L, 24_300L);
      assertThat(request.prompt().isUncertain()).isTrue();
    }
  }

  @Test
  void anAudioClipOrFileThatIsNoObjectCountsAsText() {
    String text = "hello world ".repeat(8_000);
    for (String type : List.of("input_audio", "file")) {
      String part = "[{\"type\":\"" + type + "\",\"" + type + "\":\"" + text + "\"}]";
      assertThat(ChatBodies.valid(body(part, "", "")).estimate(A_MICRO_A_TOKEN).value())
          .isGreaterThan(96_000);
    }
  }

  @Test
  void aChoiceThatListsToolsIsPrompt() {
    String choice =
        "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"},\"x\":\""
            + "t".repeat(96_000)
            + "\"},\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]";
    assertThat(ChatBodies.valid(ChatBodies.with(choice)).estimate(A_MICRO_A_TOKEN).value())
        .isBetween(96_000L, 97_200L);
  }

  @Test
  void settingsAreNoPrompt() {
    PromptSize plain = ChatBodies.valid(ChatBodies.with("")).prompt();
    String settings =
        "\"metadata\":{\"order\":\"7\"},\"service_tier\":\"flex\",\"top_k\":40,\"user\":\"u\","
            + "\"modalities\":[\"text\"],\"store\":true,\"tool_choice\":\"auto\",\"seed\":1";
    assertThat(ChatBodies.valid(ChatBodies.with(settings)).prompt()).isEqualTo(plain);
    PromptSize shortText =
        ChatBodies.valid(ChatBodies.with("\"reasoning\":{\"effort\":\"low\"}")).prompt();
    assertThat(shortText.isUncertain()).as("too little to wait for").isFalse();
  }

  @Test
  void textThatMovesFromTheContentToAnotherMemberLowersNoReservation() {
    Seeds.forEach(
        random -> {
          String text = "\u00e9 ".repeat(random.nextInt(2_000));
          String name = List.of("documents", "prediction", "x").get(random.nextInt(3));
          String value =
              List.of("\"%s\"", "[\"%s\"]", "{\"a\":{\"b\":\"%s\"}}")
                  .get(random.nextInt(3))
                  .formatted(text);
          String member = ",\"" + name + "\":" + value;
          String moved =
              List.of(
                      body("\"\"", "", member),
                      body("\"\"", member, ""),
                      body("[{\"type\":\"text\",\"text\":\"\"" + member + "}]", "", ""),
                      body(
                          "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"\"" + member + "}}]",
                          "",
                          ""))
                  .get(random.nextInt(4));
          long inContent =
              ChatBodies.valid(body("\"" + text + "\"", "", "")).estimate(A_MICRO_A_TOKEN).value();
          assertThat(ChatBodies.valid(moved).estimate(A_MICRO_A_TOKEN).value())
              .as(moved)
              .isGreaterThanOrEqualTo(inContent);
        });
  }

  private static String body(String content, String ofMessage, String ofRoot) {
    return "{\"model\":\"acme/m1\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":"
        + content
        + ofMessage
        + "}]"
        + ofRoot
        + "}";
  }
}
