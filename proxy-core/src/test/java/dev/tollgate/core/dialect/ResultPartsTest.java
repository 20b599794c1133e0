package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.ProviderSchema;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Pictures and documents in the results of tools: inside where they are taken, else beside. */
class ResultPartsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Map<String, ProviderSchema> SCHEMAS =
      Map.of(
          "anthropic", ProviderSchema.ANTHROPIC,
          "vertex-anthropic", ProviderSchema.ANTHROPIC,
          "bedrock", ProviderSchema.BEDROCK,
          "gemini", ProviderSchema.GEMINI,
          "vertex", ProviderSchema.GEMINI,
          "cohere", ProviderSchema.COHERE,
          "ollama", ProviderSchema.OLLAMA);

  private static final String CHAT =
      """
      {'model':'a/b','messages':[{'role':'user','content':'Q'},
        {'role':'assistant','tool_calls':[
          {'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},
          {'id':'c2','type':'function','function':{'name':'g','arguments':'{}'}}]},
        {'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'Page 1'},
          {'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},
          {'type':'input_audio','input_audio':{'data':'','format':'wav'}},
          {'type':'file','file':{'filename':'a.pdf','file_data':'data:application/pdf;base64,BBBB'}}]},
        {'role':'tool','tool_call_id':'c2','content':[
          {'type':'image_url','image_url':{'url':'data:image/jpeg;base64,CCCC'}}]},
        {'role':'user','content':'And?'}]}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "anthropic | claude-haiku-4-5 | messages[2].content[2]"
            + " | [{'type':'tool_result','tool_use_id':'c1','content':[{'type':'text','text':'Page 1'},"
            + "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AAAA'}},"
            + "{'type':'document','source':{'type':'base64','media_type':'application/pdf','data':'BBBB'},'title':'a.pdf'}]},"
            + "{'type':'tool_result','tool_use_id':'c2','content':["
            + "{'type':'image','source':{'type':'base64','media_type':'image/jpeg','data':'CCCC'}}]},"
            + "{'type':'text','text':'And?'}] | /messages/2/content",
        "vertex-anthropic | claude-sonnet-4-6 | messages[2].content[2]"
            + " | [{'type':'tool_result','tool_use_id':'c1','content':[{'type':'text','text':'Page 1'},"
            + "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AAAA'}},"
            + "{'type':'document','source':{'type':'base64','media_type':'application/pdf','data':'BBBB'},'title':'a.pdf'}]},"
            + "{'type':'tool_result','tool_use_id':'c2','content':["
            + "{'type':'image','source':{'type':'base64','media_type':'image/jpeg','data':'CCCC'}}]},"
            + "{'type':'text','text':'And?'}] | /messages/2/content",
        "gemini | gemini-2.5-flash | messages[2].content[2]"
            + " | [{'functionResponse':{'name':'f','response':{'output':'Page 1'}}},"
            + "{'functionResponse':{'name':'g','response':{'output':''}}}] | /contents/2/parts",
        "gemini | gemini-2.5-flash | messages[2].content[2]"
            + " | [{'inlineData':{'mimeType':'image/png','data':'AAAA'}},"
            + "{'inlineData':{'mimeType':'application/pdf','data':'BBBB'}},"
            + "{'inlineData':{'mimeType':'image/jpeg','data':'CCCC'}},{'text':'And?'}] | /contents/3/parts",
        "vertex | gemini-3-flash-preview | messages[2].content[2]"
            + " | [{'functionResponse':{'id':'c1','name':'f','response':{'output':'Page 1'},'parts':["
            + "{'inlineData':{'mimeType':'image/png','data':'AAAA'}},"
            + "{'inlineData':{'mimeType':'application/pdf','data':'BBBB'}}]}},"
            + "{'functionResponse':{'id':'c2','name':'g','response':{'output':''},'parts':["
            + "{'inlineData':{'mimeType':'image/jpeg','data':'CCCC'}}]}}] | /contents/2/parts",
        "cohere | command-a-vision-07-2025 | messages[2].content[2],messages[2].content[3]"
            + " | {'role':'user','content':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},"
            + "{'type':'image_url','image_url':{'url':'data:image/jpeg;base64,CCCC'}}]} | /messages/4",
        "ollama | qwen3-vl | messages[2].content[2],messages[2].content[3]"
            + " | {'role':'tool','content':'Page 1','images':['AAAA'],'tool_call_id':'c1','tool_name':'f'}"
            + " | /messages/2"
      })
  void nothingIsLostInSilence(String dialect, String model, String dropped, String sent, String at)
      throws Exception {
    TranslatedRequest chat = ConfiguredModel.of(dialect, model).of(CHAT.replace('\'', '"'));
    String body = chat.body().toString(UTF_8);
    JsonNode got = MAPPER.readTree(body).at(at);
    assertThat(got).isEqualTo(MAPPER.readTree(sent.replace('\'', '"')));
    assertThat(String.join(",", chat.dropped())).isEqualTo(dropped);
    assertThat(requireNonNull(SCHEMAS.get(dialect)).complaints(body)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | messages[2].content[2]"
            + " | [{'toolResult':{'toolUseId':'c1','content':[{'text':'Page 1'},"
            + "{'image':{'format':'png','source':{'bytes':'AAAA'}}},"
            + "{'document':{'format':'pdf','name':'a','source':{'bytes':'BBBB'}}}]}},"
            + "{'toolResult':{'toolUseId':'c2','content':[{'image':{'format':'jpeg','source':{'bytes':'CCCC'}}}]}},"
            + "{'text':'And?'}] | /messages/2/content",
        "bedrock | openai.gpt-5.6-sol-v1:0 | messages[2].content[2]"
            + " | [{'toolResult':{'toolUseId':'c1','content':[{'text':'Page 1'}]}},"
            + "{'image':{'format':'png','source':{'bytes':'AAAA'}}},"
            + "{'document':{'format':'pdf','name':'a','source':{'bytes':'BBBB'}}},"
            + "{'toolResult':{'toolUseId':'c2','content':[]}},"
            + "{'image':{'format':'jpeg','source':{'bytes':'CCCC'}}},"
            + "{'text':'And?'}] | /messages/2/content",
        "bedrock | mistral.pixtral-large-2502-v1:0 | messages[2].content[2]"
            + " | [{'toolResult':{'toolUseId':'c1','content':[{'text':'Page 1'}]}},"
            + "{'image':{'format':'png','source':{'bytes':'AAAA'}}},"
            + "{'document':{'format':'pdf','name':'a','source':{'bytes':'BBBB'}}},"
            + "{'toolResult':{'toolUseId':'c2','content':[]}},"
            + "{'image':{'format':'jpeg','source':{'bytes':'CCCC'}}},"
            + "{'text':'And?'}] | /messages/2/content"
      })
  void modelsOfConverseDifferInWhatTheyTakeInside(
      String dialect, String model, String dropped, String sent, String at) throws Exception {
    nothingIsLostInSilence(dialect, model, dropped, sent, at);
  }

  @Test
  void olderGeminiGetsThePictureOfOneResultInItsTurn() throws Exception {
    String chat =
        """
        {'messages':[{'role':'user','content':'Q'},{'role':'assistant','tool_calls':[
          {'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}}]},
          {'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'Page 1'},
          {'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}}]}]}
        """;
    String body =
        ConfiguredModel.of("gemini", "gemini-2.5-flash")
            .of(chat.replace('\'', '"'))
            .body()
            .toString(UTF_8);
    assertThat(MAPPER.readTree(body).at("/contents/2/parts"))
        .isEqualTo(
            MAPPER.readTree(
                "[{'functionResponse':{'name':'f','response':{'output':'Page 1'}}},{'inlineData':{'mimeType':'image/png','data':'AAAA'}}]"
                    .replace('\'', '"')));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "OPENAI|AZURE") // they refuse such chats
  void instructionsBetweenResultsDoNotSplitThem(RefusingProvider provider) throws Exception {
    String chat =
        CHAT.replace(
                "{'role':'tool','tool_call_id':'c2'",
                "{'role':'developer','content':'Be brief.'},{'role':'tool','tool_call_id':'c2'")
            .replace('\'', '"');
    RefusingProvider.Sent sent = provider.sent(chat);
    assertThat(provider.refusals(sent.body())).as(sent.body()).isEmpty();
  }
}
