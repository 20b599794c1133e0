package dev.tollgate.core.api.responses;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.RequestBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsesRequestTest {
  private static final RequestBodies<ResponsesRequest> BODIES =
      new RequestBodies<>(
          "acme/m1",
          (bytes, length) -> ResponsesRequest.parse(bytes, length, ResponseEventSet.LISTED));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'input':'Hi \\u00e9' | 'messages':[{'role':'user','content':'Hi \\u00e9'}]",
        "'input':'Hi','instructions':'Be kind.' | 'messages':[{'role':'system','content':'Be kind.'},{'role':'user','content':'Hi'}]",
        "'input':'Hi','instructions':null,'temperature':null,'tools':[],'store':false | 'messages':[{'role':'user','content':'Hi'}]",
        "'input':'Hi','max_output_tokens':9,'temperature':0.50 | 'messages':[{'role':'user','content':'Hi'}],'max_completion_tokens':9,'temperature':0.50",
        "'input':'Hi','stream':true | 'messages':[{'role':'user','content':'Hi'}],'stream':true,'stream_options':{'include_usage':true}",
        "'input':[{'role':'user','content':[{'type':'input_text','text':'a'}]}] | 'messages':[{'role':'user','content':'a'}]",
        "'input':[{'type':'message','id':'m','status':'completed','role':'assistant','content':[{'type':'output_text','text':'a','annotations':[]},{'type':'refusal','refusal':'b'}]}] | 'messages':[{'role':'assistant','content':[{'type':'text','text':'a'},{'type':'refusal','refusal':'b'}]}]",
        "'input':[{'role':'user','content':[{'type':'input_text','text':'a'},{'type':'input_image','image_url':'data:x','detail':'low'}]}] | 'messages':[{'role':'user','content':[{'type':'text','text':'a'},{'type':'image_url','image_url':{'url':'data:x','detail':'low'}}]}]",
        "'input':[{'role':'user','content':[{'type':'input_file','file_data':'data:x','filename':'a.pdf'}]}] | 'messages':[{'role':'user','content':[{'type':'file','file':{'file_data':'data:x','filename':'a.pdf'}}]}]",
        "'input':[{'role':'user','content':'q'},{'type':'function_call','id':'fc','call_id':'c1','name':'f','arguments':'{}','status':'completed'},{'type':'function_call','call_id':'c2','name':'g','arguments':'{}'},{'type':'function_call_output','call_id':'c1','output':'1'},{'type':'function_call_output','call_id':'c2','output':[{'type':'input_text','text':'2'}]}] | 'messages':[{'role':'user','content':'q'},{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},{'id':'c2','type':'function','function':{'name':'g','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c1','content':'1'},{'role':'tool','tool_call_id':'c2','content':'2'}]",
        "'input':[{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},{'type':'function_call','call_id':'c2','name':'f','arguments':'{}'},{'type':'function_call_output','call_id':'c1','output':[{'type':'input_text','text':'Page 1'},{'type':'input_image','image_url':'data:x'}]},{'type':'function_call_output','call_id':'c2','output':[{'type':'input_file','file_data':'data:y','filename':'a.pdf'}]},{'role':'user','content':'q'}] | 'messages':[{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},{'id':'c2','type':'function','function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'Page 1'}]},{'role':'tool','tool_call_id':'c2','content':'The result is in the next message.'},{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:x'}},{'type':'file','file':{'file_data':'data:y','filename':'a.pdf'}}]},{'role':'user','content':'q'}]",
        "'input':[{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},{'type':'function_call_output','call_id':'c1','output':[{'type':'input_image','image_url':'data:x','detail':'low'}]}] | 'messages':[{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c1','content':'The result is in the next message.'},{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:x','detail':'low'}}]}]",
        "'input':[{'role':'assistant','content':'Let me see.'},{'type':'reasoning','id':'r','summary':[]},{'type':'function_call','call_id':'c','name':'f','arguments':'{}'},{'type':'function_call_output','call_id':'c','output':''}] | 'messages':[{'role':'assistant','content':'Let me see.','tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':''}]",
        "'input':[{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':'1'},{'role':'assistant','content':'a'}] | 'messages':[{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},{'role':'tool','content':'1','tool_call_id':'c'},{'role':'assistant','content':'a'}]",
        "'input':'Hi','tools':[{'type':'function','name':'f','description':'d','parameters':{'type':'object'},'strict':true}] | 'messages':[{'role':'user','content':'Hi'}],'tools':[{'type':'function','function':{'name':'f','description':'d','parameters':{'type':'object'},'strict':true}}]",
        "'input':'Hi','reasoning':{'effort':'high'},'text':{'verbosity':'low','format':null},'truncation':'auto','include':[],'metadata':{'a':'b'},'top_k':7,'background':false,'previous_response_id':null | 'messages':[{'role':'user','content':'Hi'}]",
        "'input':'Hi','text':{'format':{'type':'json_schema','name':'answer','description':'d','schema':{'type':'object','properties':{}},'strict':true}} | 'messages':[{'role':'user','content':'Hi'}],'response_format':{'type':'json_schema','json_schema':{'name':'answer','description':'d','schema':{'type':'object','properties':{}},'strict':true}}",
        "'input':'Hi','text':{'format':{'type':'json_object'}} | 'messages':[{'role':'user','content':'Hi'}],'response_format':{'type':'json_object'}",
        "'input':'Hi','text':{'format':{'type':'text'}} | 'messages':[{'role':'user','content':'Hi'}]",
        "'input':'Hi','text':null | 'messages':[{'role':'user','content':'Hi'}]",
        "'input':'Hi','routing':{'only':['acme-eu']} | 'messages':[{'role':'user','content':'Hi'}]",
      })
  void whatIsListedIsMappedAndAllElseIsDropped(String members, String chat) {
    assertThat(RequestBodies.upstream(BODIES.valid(members)))
        .isEqualTo(("{'model':'m1-2026'," + chat + "}").replace('\'', '"'));
  }

  @Test
  void aNameThatAChatRefusesHasAStandIn() {
    String name = "mcp__plugin_company_workspace__batch_update_labels_of_archived_messages";
    String sent =
        RequestBodies.upstream(
            BODIES.valid(
                ("'input':[{'type':'function_call','call_id':'c','name':'NAME','arguments':'{}'},"
                        + "{'type':'function_call_output','call_id':'c','output':'1'}],"
                        + "'tools':[{'type':'function','name':'NAME'},{'type':'function','name':'f'}]")
                    .replace("NAME", name)));
    String standIn = ToolNameRule.OPENAI.sent(name);
    assertThat(standIn).hasSize(64);
    assertThat(sent)
        .doesNotContain(name)
        .contains(
            "\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\""
                + standIn
                + "\"",
            "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"" + standIn + "\"}}");
  }

  /** A and B are texts of the assistant, 1 and 2 calls, R is reasoning. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "A12 | 'content':'A','tool_calls':[#1,#2]",
        "1A2 | 'content':'A','tool_calls':[#1,#2]",
        "12A | 'content':'A','tool_calls':[#1,#2]",
        "R1RAR2 | 'content':'A','tool_calls':[#1,#2]",
        "1A2B | 'content':[{'type':'text','text':'A'},{'type':'text','text':'B'}],'tool_calls':[#1,#2]",
        "AB | 'content':[{'type':'text','text':'A'},{'type':'text','text':'B'}]",
        "1E2A | 'content':'A','tool_calls':[#1,#2]",
        "1E2E | 'content':'','tool_calls':[#1,#2]",
        "1N2 | 'content':null,'tool_calls':[#1,#2]",
        "1C2 | 'content':'C','refusal':'no','reasoning_content':'x','reasoning_details':[1],'tool_calls':[#1,#3,#2]",
        "C1C | 'content':[{'type':'text','text':'C'},{'type':'text','text':'C'}],'refusal':'nono','reasoning_content':'xx','reasoning_details':[1,1],'tool_calls':[#3,#1,#3]",
        "PA1 | 'content':[{'type':'text','text':'P'},{'type':'refusal','refusal':'Q'},{'type':'text','text':'A'}],'tool_calls':[#1]",
      })
  void neighbouringItemsOfTheAssistantAreOneMessage(String items, String members) {
    List<String> input = new ArrayList<>();
    items.chars().forEach(c -> input.add(item((char) c)));
    String call = "{'id':'$1','type':'function','function':{'name':'f','arguments':'{}'}}";
    String chat = members.replaceAll("#(\\d)", call);
    assertThat(
            RequestBodies.upstream(
                BODIES.valid("'input':[" + String.join(",", input) + "," + item('U') + "]")))
        .isEqualTo(
            ("{'model':'m1-2026','messages':[{'role':'assistant',"
                    + chat
                    + "},{'role':'user','content':'U'}]}")
                .replace('\'', '"'));
  }

  private static String item(char name) {
    return switch (name) {
      case '1', '2' ->
          "{'type':'function_call','call_id':'" + name + "','name':'f','arguments':'{}'}";
      case 'R' -> "{'type':'reasoning','summary':[]}";
      case 'E' -> "{'role':'assistant','content':''}";
      case 'N' -> "{'role':'assistant'}";
      case 'U' -> "{'role':'user','content':'U'}";
      case 'P' ->
          "{'role':'assistant','content':[{'type':'output_text','text':'P'},"
              + "{'type':'refusal','refusal':'Q'}]}";
      case 'C' ->
          "{'role':'assistant','content':'C','reasoning_content':'x','refusal':'no',"
              + "'reasoning_details':[1],'tool_calls':[{'id':'3','type':'function',"
              + "'function':{'name':'f','arguments':'{}'}}]}";
      default ->
          "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'"
              + name
              + "'}]}";
    };
  }

  @ParameterizedTest
  @EnumSource
  void theBoundOfTheOutputHasTheNameThatTheServerTakes(KnownServer server) {
    ResponsesRequest request = BODIES.valid("'input':'Hi','max_output_tokens':9");
    Route route = new Route(TestCatalog.like(server, "alpha"), "m1-2026", 1, 1);
    String name =
        switch (server) {
          case CEREBRAS, GROQ, OPENROUTER, XAI -> "max_completion_tokens";
          case DEEPSEEK, FIREWORKS, LLAMACPP, MISTRAL, PERPLEXITY, TGI, TOGETHER, VLLM, ZAI ->
              "max_tokens";
        };
    assertThat(RequestBodies.upstream(request, route))
        .isEqualTo(
            "{\"model\":\"m1-2026\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\""
                + name
                + "\":9}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'instructions':'a' | input",
        "'input':7 | input",
        "'input':null | input",
        "'input':[] | input",
        "'input':[{'type':'reasoning'}] | input",
        "'input':['a'] | input[0]",
        "'input':[{'content':'a'}] | input[0].role",
        "'input':[{'role':'robot','content':'a'}] | input[0].role",
        "'input':[{'role':'user'}] | input[0].content",
        "'input':[{'role':'user','content':7}] | input[0].content",
        "'input':[{'role':'user','content':[7]}] | input[0].content[0]",
        "'input':[{'role':'user','content':[{'text':'a'}]}] | input[0].content[0].type",
        "'input':[{'role':'user','content':[{'type':'input_text'}]}] | input[0].content[0].text",
        "'input':[{'role':'user','content':[{'type':'text','type':'image_url','text':'a'}]}] | input[0].content[0].type",
        "'input':[{'role':'user','content':[{'type':'input_image','file_id':'f'}]}] | input[0].content[0].image_url",
        "'input':[{'role':'user','content':[{'type':'input_file','file_url':'f'}]}] | input[0].content[0].file_url",
        "'input':[{'type':'item_reference','id':'x'}] | input[0].type",
        "'input':[{'type':'web_search_call','id':'x'}] | input[0].type",
        "'input':[{'type':'function_call','name':'f','arguments':'{}'}] | input[0].call_id",
        "'input':[{'type':'function_call','call_id':'c','arguments':'{}'}] | input[0].name",
        "'input':[{'type':'function_call','call_id':'c','name':'f','arguments':{}}] | input[0].arguments",
        "'input':[{'type':'function_call_output','output':'a'}] | input[0].call_id",
        "'input':[{'type':'function_call_output','call_id':'c'}] | input[0].output",
        "'input':'a','instructions':[] | instructions",
        "'input':'a','max_output_tokens':0 | max_output_tokens",
        "'input':'a','max_output_tokens':1.5 | max_output_tokens",
        "'input':'a','temperature':2.1 | temperature",
        "'input':'a','stream':'yes' | stream",
        "'input':'a','Stream':true | Stream",
        "'input':'a','input':'b' | input",
        "'input':'a','tools':{} | tools",
        "'input':'a','tools':[1] | tools[0]",
        "'input':'a','tools':[{'type':'web_search'}] | tools[0].type",
        "'input':'a','tools':[{'type':'function','name':''}] | tools[0].name",
        "'input':'a','tools':[{'type':'function','function':{'name':'f'}}] | tools[0].name",
        "'input':'a','text':'json' | text",
        "'input':'a','text':{'format':'json'} | text.format",
        "'input':'a','text':{'format':{}} | text.format.type",
        "'input':'a','text':{'format':{'type':'grammar'}} | text.format.type",
        "'input':'a','Text':{'format':{'type':'text'}} | Text",
        "'input':'a','previous_response_id':'resp_1' | previous_response_id",
        "'input':'a','store':true | store",
        "'input':'a','background':true | background",
        "'input':'a','routing':{'strategy':'best'} | routing.strategy",
      })
  void whatIsWrongIsNamedAsTheClientWroteIt(String members, String param) {
    Fault fault = BODIES.refused(members);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void allIssuesAreReportedAtOnce() {
    Fault fault = BODIES.refused("'input':[{'role':'x'}],'store':true,'temperature':3");
    assertThat((List<?>) fault.details().get("issues")).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prefill", "replay", "auto"})
  void itsStreamIsHedgedAndContinuedAsAChatIs(String how) {
    ResponsesRequest request =
        BODIES.valid("'input':'a','stream':true,'routing':{'resume':'" + how + "'}");
    assertThat(request.mayBeHedged()).isTrue();
    assertThat(request.mayBeResumed()).isTrue();
    assertThat(request.mayBePrefilled(Samples.model().routes().getFirst(), Samples.model()))
        .isTrue();
    assertThat(request.routing().resume()).isNotNull();
  }

  @Test
  void itIsEstimatedAsTheChatThatItIs() {
    ResponsesRequest request =
        BODIES.valid(
            "'input':[{'role':'user','content':[{'type':'input_text','text':'abcdefgh'},"
                + "{'type':'input_image','image_url':'data:x'}]}],'max_output_tokens':10,"
                + "'tools':[{'type':'function','name':'f'}]");
    assertThat(request.capabilitiesUsed()).containsExactlyInAnyOrder("vision", "tools");
    assertThat(request.prompt().tokensSetAside()).isBetween(1_500L, 1_600L);
    assertThat(request.tokensEstimated(Samples.model()))
        .isEqualTo(request.prompt().tokensSetAside() + 10);
  }

  @ParameterizedTest
  @CsvSource({
    "response_format, text.format",
    "response_format.type, text.format.type",
    "response_format.json_schema.schema.properties, text.format.schema.properties",
    "tools[1].function.parameters, tools[1].parameters",
    "response_formats, response_formats"
  })
  void aParamOfTheProviderIsNamedAsTheClientWroteIt(String upstream, String param) {
    assertThat(BODIES.valid("'input':'a'").paramOf(upstream)).isEqualTo(param);
  }

  private static final String CALLS =
      "{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},"
          + "{'type':'function_call','call_id':'c2','name':'f','arguments':'{}'},";

  private static String result(String id) {
    return "{'type':'function_call_output','call_id':'" + id + "','output':'" + id + "'}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "developer", "system", "assistant"})
  void aMessageAmongResultsStandsBehindThem(String role) {
    String note = "{'role':'" + role + "','content':'note'}";
    String sent = result("c2") + "," + note + "," + result("c1");
    String later = CALLS.replace('1', '3').replace('2', '4') + result("c3") + "," + result("c4");
    String other = note + "," + result("c1") + "," + result("c2");

    for (String items : List.of(sent, sent + "," + later, other)) {
      String chat = RequestBodies.upstream(BODIES.valid("'input':[" + CALLS + items + "]"));
      String roles = chat.replaceAll("\"role\":\"(\\w)\\w*\"|.", "$1");
      boolean isSameMessage = role.equals("assistant") && items.equals(other);
      String behind = isSameMessage ? "" : role.substring(0, 1);
      String expected = "att" + behind + (items.contains("c3") ? "att" : "");
      assertThat(roles).as(items).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "messages[0] | instructions",
        "messages[0].content | instructions",
        "messages[1].content[1] | input[0].content[1]",
        "messages[1].content[1].image_url.url | input[0].content[1].image_url",
        "messages[1].name | input[0].name",
        "messages[2].tool_calls[1] | input[4]",
        "messages[2].tool_calls[0].id | input[2].call_id",
        "messages[2].tool_calls[0].function.arguments | input[2].arguments",
        "messages[2].content | input[3].content",
        "messages[2].refusal | input",
        "messages[2].tool_calls[7] | input",
        "messages[3].tool_call_id | input[5].call_id",
        "messages[4].content[0] | input[7].output[0]",
        "messages[5] | input[6]",
        "messages[9].content | input",
        "max_tokens | max_output_tokens",
      })
  void aPathOfTheChatIsToldAsThatOfTheInput(String ofChat, String ofInput) {
    ResponsesRequest request =
        BODIES.valid(
            "'instructions':'i','input':[{'role':'user','content':'q'},"
                + "{'type':'reasoning','summary':[]},"
                + "{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},"
                + "{'role':'assistant','content':'Let me see.'},"
                + "{'type':'function_call','call_id':'c2','name':'f','arguments':'{}'},"
                + result("c1")
                + ",{'role':'user','content':'note'},"
                + result("c2")
                + "]");

    assertThat(request.dropped(List.of(ofChat))).endsWith(ofInput);
    assertThat(request.unservableFault(List.of(ofChat)).param()).isEqualTo(ofInput);
  }

  @Test
  void aCallWithoutAResultIsNamedByItsItem() {
    Fault fault =
        BODIES
            .valid("'input':[{'role':'user','content':'q'}," + CALLS + result("c2") + "]")
            .unservableFault(List.of("messages[1].tool_calls[0]"));

    assertThat(fault.param()).isEqualTo("input[1]");
    assertThat(fault.message()).contains("has no result");
  }

  @Test
  void onlyTheFormatOfATextIsRead() {
    assertThat(
            BODIES
                .valid("'input':'a','text':{'verbosity':'low','format':{'type':'text'}}")
                .dropped(List.of()))
        .containsExactly("text.verbosity");
  }

  /** An empty object asks for a search with the usual options. */
  @Test
  void aSearchThatIsDroppedIsNamed() {
    for (String options : new String[] {"{}", "{'search_context_size':'low'}"}) {
      assertThat(
              BODIES
                  .valid("'input':'a','metadata':{},'web_search_options':" + options)
                  .dropped(List.of()))
          .containsExactly("web_search_options");
    }
  }

  @Test
  void aSchemaIsACapability() {
    assertThat(
            BODIES
                .valid("'input':'a','text':{'format':{'type':'json_schema','name':'a'}}")
                .capabilitiesUsed())
        .containsExactly("json_schema");
  }

  @Test
  void damagedBodiesAreRefusedOrMakeAChat() {
    BODIES.assertDamagedBodies(
        "'input':[{'role':'user','content':[{'type':'input_text','text':'a'},"
            + "{'type':'input_image','image_url':'b'}]},{'type':'function_call','call_id':'c',"
            + "'name':'f','arguments':'{}'},{'type':'function_call_output','call_id':'c',"
            + "'output':'1'}],'tools':[{'type':'function','name':'f','parameters':{}}],"
            + "'stream':true,'instructions':'x'",
        request -> assertThat(request.estimate(Samples.model()).isPositive()).isTrue(),
        fault -> assertThat(fault.param()).isNotEqualTo("messages"));
  }

  @Test
  @Tag("corpus")
  void everyRowOfTheSharedTableGetsItsVerdict() {
    BODIES.assertSharedVerdicts("POST /v1/responses", 5);
  }
}
