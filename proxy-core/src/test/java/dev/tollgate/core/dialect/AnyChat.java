package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Chat that OpenAI's schema allows, made by a random: messages of all roles in any order, tools,
 * formats and parameters, and members that other models' replies leave in a history. Most
 * conversations answer their calls; the others do as they like.
 */
final class AnyChat {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int MESSAGES_MAX = 9;

  private static final List<String> TEXTS =
      List.of(
          "Hi", "", " ", "\n\n", "ends \n", " \u00a0\t", "größe 漢字 🙂", "{\"a\":1}", "[1]", "...");
  private static final List<String> NAMES =
      List.of("f", "g", "1c.look up", "größe", "a-b", "mcp__" + "n".repeat(70), "_x", "f:1");
  private static final List<String> ARGUMENTS =
      List.of("{}", "{\"a\":1}", "", "broken", "[1]", "null", "{\"a\":", " ");
  private static final List<String> IDS =
      List.of("call_1", "call.1", "call_" + "x".repeat(80), "ümlaut", "c 1", "call_2", "call_0");

  private static final List<String> PICTURES =
      List.of(
          "https://h.example/a.png",
          "data:image/png;base64,AAAA",
          "data:image/jpg;base64,AAAA",
          "data:image/gif;base64,AAAA",
          "data:image/heic;base64,AAAA",
          "data:image/svg+xml;base64,AAAA",
          "data:image/png;base64,",
          "data:,x");
  private static final List<String> FILES =
      List.of(
          "{'file_data':'data:application/pdf;base64,AAAA','filename':'a.pdf'}",
          "{'file_data':'data:application/pdf;base64,AAAA','filename':'a.pdf'}",
          "{'file_data':'data:application/pdf;base64,AAAA','filename':'größe (1)._x.pdf'}",
          "{'file_data':'data:text/plain;base64,AAAA'}",
          "{'file_data':'data:application/msword;base64,AAAA','filename':'.doc'}",
          "{'file_data':'data:application/zip;base64,AAAA','filename':' '}",
          "{'file_data':'data:application/pdf;base64,'}",
          "{'file_data':'AAAA','filename':'a.pdf'}",
          "{'file_id':'file-1'}",
          "{}");
  private static final List<String> SCHEMAS =
      List.of(
          "{}",
          "{'properties':{}}",
          "{'type':'object'}",
          "{'type':'string','enum':['a']}",
          "{'type':['array','null'],'items':{}}",
          "{'type':['object','null'],'properties':{'a':{'type':'string'}}}",
          "{'type':'object','properties':{'a':{'type':'integer','minimum':1}},'required':['a'],"
              + "'additionalProperties':false}",
          "{'type':'object','properties':{'a':{'type':'array','minItems':3,'items':{'oneOf':["
              + "{'type':'string','maxLength':9},{'type':'number'}]}}}}",
          "{'type':'object','anyOf':[{'required':['a']},{'required':['b']}],'properties':{'a':{}}}",
          "{'oneOf':[{'type':'object','properties':{'a':{'type':'string'}}}]}",
          "{'type':'object','properties':{'a':true}}",
          "{'type':'object','properties':{'a':{'$ref':'#/$defs/n'}},'$defs':{'n':{'type':'object',"
              + "'properties':{'next':{'$ref':'#/$defs/n'}}}}}",
          "{'type':'OBJECT','properties':{'a':{'type':'STRING'}}}",
          "{'type':'array','items':{'type':'string'}}",
          "{'description':'d'}",
          "{'type':null,'properties':{'a':{'type':'string'}},'required':['a']}",
          "{'type':'object','description':'any'}",
          "{'type':'object','properties':{'a':{'type':'object','description':'any'}},'required':['a']}",
          "{'anyOf':[{'type':'object','properties':{'a':{'const':'x'}},'required':['a']},"
              + "{'type':'null'}]}",
          "{'type':'object','properties':{'a':{'anyOf':[{'type':'string','pattern':'^a'},"
              + "{'type':'null'}],'default':null},'b':{'const':true}},'required':['a','b']}",
          "{'type':'object','properties':{'a':{'$ref':'#/$defs/a~1%25','description':'d'},"
              + "'b':{'allOf':[{'$ref':'#/$defs/a~1%25'}],'title':'B'}},'required':['a'],'$defs':"
              + "{'a/%':{'type':'object','properties':{'c':{'enum':['d',null]}},'required':['c']}}}",
          "{'$ref':'#/definitions/n','definitions':{'n':{'type':'object','properties':{'a':{"
              + "'type':'string','minLength':1}},'required':['a']}}}",
          "{'type':'object','properties':{'v':{'type':'string'},'next':{'anyOf':[{'$ref':'#'},"
              + "{'type':'null'}]}},'required':['v','next'],'additionalProperties':false}",
          "{'type':'object','properties':{'all':{'type':'array','items':{'$ref':'#/$defs/n'}}},"
              + "'required':['all'],'$defs':{'n':{'type':'object','properties':{'of':{'$ref':"
              + "'#/$defs/m'}},'required':['of']},'m':{'type':'object','properties':{'n':{'$ref':"
              + "'#/$defs/n'}},'required':['n']}}}",
          "{'type':'object','properties':{'a':{'$ref':'https://h.example/s'}},'required':['a']}",
          "{'$schema':'http://json-schema.org/draft-07/schema#','type':'object','properties':{},"
              + "'additionalProperties':{'type':'string'}}");

  /** Members besides messages and tools, each with values that the schema allows. */
  private static final List<List<String>> MEMBERS =
      List.of(
          List.of("'stream':true,'stream_options':{'include_usage':true}", "'stream':null"),
          List.of("'temperature':0", "'temperature':2", "'temperature':null", "'temperature':1"),
          List.of("'top_p':0", "'top_p':1", "'top_p':0.5", "'top_p':null"),
          List.of("'presence_penalty':-2", "'presence_penalty':2", "'presence_penalty':0"),
          List.of("'frequency_penalty':-2", "'frequency_penalty':2", "'frequency_penalty':null"),
          List.of("'seed':0", "'seed':-9223372036854775807", "'seed':9223372036854775807"),
          List.of("'stop':''", "'stop':' '", "'stop':['a','','\\n','b']", "'stop':[]"),
          List.of("'stop':null", "'stop':'END'", "'stop':['A','B','C','D']"),
          List.of(
              "'max_tokens':1", "'max_tokens':9000000000", "'max_tokens':null", "'max_tokens':0"),
          List.of("'max_completion_tokens':2000", "'max_completion_tokens':null"),
          List.of("'n':1", "'n':null", "'n':2"),
          List.of("'logprobs':true,'top_logprobs':20", "'logprobs':null,'top_logprobs':null"),
          List.of("'logit_bias':{'1':-100}", "'logit_bias':{}", "'logit_bias':null"),
          List.of("'user':''", "'user':'jane.doe@example.com'", "'user':'+49 170 1234567'"),
          List.of("'safety_identifier':'s'", "'safety_identifier':'jane@example.com'"),
          List.of("'metadata':{'user_id':'u','a':'b'}", "'metadata':null", "'metadata':{}"),
          List.of("'store':true", "'store':null"),
          List.of("'service_tier':'flex'", "'service_tier':'auto'", "'service_tier':null"),
          List.of("'parallel_tool_calls':false", "'parallel_tool_calls':true"),
          List.of("'modalities':['text']", "'modalities':null"),
          List.of("'modalities':['text','audio'],'audio':{'voice':'alloy','format':'wav'}"),
          List.of("'prediction':{'type':'content','content':'x'}", "'prediction':null"),
          List.of("'reasoning_effort':'none'", "'reasoning_effort':'minimal'"),
          List.of(
              "'reasoning_effort':'high'", "'reasoning_effort':'xhigh'", "'reasoning_effort':null"),
          List.of("'verbosity':'low'", "'verbosity':null"),
          List.of("'web_search_options':{}"),
          List.of("'prompt_cache_key':'k'"),
          List.of("'response_format':{'type':'text'}", "'response_format':{'type':'json_object'}"));

  /** Members of the assistant's messages that replies of other models have. */
  private static final List<String> OF_OTHERS =
      List.of(
          "'reasoning_content':'thought'",
          "'reasoning_details':[{'type':'reasoning.text','text':'t'}]",
          "'reasoning_details':[{'type':'reasoning.text','text':'t','signature':'c2ln'}]",
          "'reasoning_details':[{'type':'reasoning.encrypted','data':'eA==','format':'x-v1'}]",
          "'extra_content':{'google':{'thought_signature':'c2ln'}}",
          "'images':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}}]",
          "'images':[{'type':'image_url','image_url':{'url':'https://h.example/a.png'}}]");

  private final Random random;
  private final ObjectNode chat = JSON.objectNode();
  private final ArrayNode messages = JSON.arrayNode();
  private final Deque<String> openCalls = new ArrayDeque<>();
  private final boolean isOrderly;
  private int ids;

  private AnyChat(Random random) {
    this.random = random;
    this.isOrderly = random.nextInt(4) > 0;
  }

  static String of(Random random) {
    var any = new AnyChat(random);
    any.chat.put("model", "a/b").set("messages", any.messages);
    int size = 1 + random.nextInt(MESSAGES_MAX);
    while (any.messages.size() < size || (any.isOrderly && !any.openCalls.isEmpty())) {
      any.message();
    }
    any.tools();
    MEMBERS.stream().filter(_ -> random.nextInt(6) == 0).forEachOrdered(any::member);
    return any.chat.toString();
  }

  private static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json.replace('\'', '"'));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private boolean often() {
    return random.nextInt(4) > 0;
  }

  private void member(List<String> values) {
    chat.setAll((ObjectNode) tree("{" + one(values) + "}"));
  }

  // Messages

  private void message() {
    if (isOrderly && !openCalls.isEmpty()) {
      result(openCalls.remove());
      return;
    }
    switch (random.nextInt(isOrderly ? 7 : 10)) {
      case 0 -> messages.addObject().put("role", "system").set("content", texts());
      case 1 -> messages.addObject().put("role", "developer").set("content", texts());
      case 2, 3, 4 -> user();
      case 5, 6 -> assistant();
      case 7, 8 -> result(openCalls.isEmpty() ? one(IDS) : openCalls.remove());
      default -> {
        ObjectNode result = messages.addObject().put("role", "function").put("name", one(NAMES));
        result.put("content", often() ? one(TEXTS) : null);
      }
    }
  }

  private void result(String id) {
    if (id.startsWith("#")) {
      messages.addObject().put("role", "function").put("name", id.substring(1)).put("content", "r");
      return;
    }
    ObjectNode result = messages.addObject().put("role", "tool").put("tool_call_id", id);
    JsonNode content = texts();
    if (content instanceof ArrayNode parts && random.nextInt(3) == 0) { // as Responses allow
      part(parts.addObject());
    }
    result.set("content", content);
  }

  private JsonNode texts() {
    if (random.nextBoolean()) {
      return JSON.textNode(one(TEXTS));
    }
    ArrayNode parts = JSON.arrayNode();
    for (int k = random.nextInt(2); k >= 0; k--) {
      parts.addObject().put("type", "text").put("text", one(TEXTS));
    }
    return parts;
  }

  private void user() {
    ObjectNode message = messages.addObject().put("role", "user");
    if (random.nextInt(5) == 0) {
      message.put("name", "jane");
    }
    if (random.nextBoolean()) {
      message.put("content", one(TEXTS));
      return;
    }
    ArrayNode parts = message.putArray("content");
    for (int k = random.nextInt(4); k >= 0; k--) {
      part(parts.addObject());
    }
  }

  private void part(ObjectNode part) {
    switch (random.nextInt(6)) {
      case 0, 1 -> part.put("type", "text").put("text", one(TEXTS));
      case 2, 3 -> {
        ObjectNode picture = part.put("type", "image_url").putObject("image_url");
        picture.put("url", one(PICTURES));
        if (random.nextBoolean()) {
          picture.put("detail", one(List.of("auto", "low", "high")));
        }
      }
      case 4 -> part.put("type", "file").set("file", tree(one(FILES)));
      default ->
          part.put("type", "input_audio")
              .putObject("input_audio")
              .put("data", "AAAA")
              .put("format", one(List.of("wav", "mp3")));
    }
  }

  private void assistant() {
    ObjectNode message = messages.addObject().put("role", "assistant");
    switch (random.nextInt(5)) {
      case 0 -> message.putNull("content");
      case 1 -> {}
      case 2 ->
          message.putArray("content").addObject().put("type", "refusal").put("refusal", one(TEXTS));
      default -> message.set("content", texts());
    }
    if (random.nextInt(6) == 0) {
      message.put("refusal", often() ? null : one(TEXTS));
    }
    if (random.nextInt(8) == 0) {
      message.putObject("audio").put("id", "audio_1");
    }
    if (random.nextInt(6) == 0) {
      message.setAll((ObjectNode) tree("{" + one(OF_OTHERS) + "}"));
    }
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> calls(message.putArray("tool_calls"));
      case 3 -> {
        String name = one(NAMES);
        message.putObject("function_call").put("name", name).put("arguments", one(ARGUMENTS));
        openCalls.add("#" + name);
      }
      default -> {}
    }
  }

  private void calls(ArrayNode calls) {
    for (int k = random.nextInt(3); k >= 0; k--) {
      String id = often() ? one(IDS) + "_" + ids++ : one(IDS);
      if (openCalls.contains(id)) {
        continue;
      }
      ObjectNode call = calls.addObject().put("id", id);
      openCalls.add(id);
      if (random.nextInt(6) == 0) {
        call.put("type", "custom").putObject("custom").put("name", "c").put("input", one(TEXTS));
      } else {
        ObjectNode function = call.put("type", "function").putObject("function");
        function.put("name", one(NAMES)).put("arguments", one(ARGUMENTS));
      }
    }
  }

  // Tools and formats

  private void tools() {
    int count = random.nextInt(4);
    List<String> names = NAMES.subList(0, count);
    if (count > 0 && random.nextInt(6) == 0) {
      ArrayNode functions = chat.putArray("functions");
      names.forEach(name -> function(functions.addObject(), name, false));
      if (random.nextBoolean()) {
        chat.set("function_call", tree(one(List.of("'auto'", "'none'", "{'name':'f'}"))));
      }
    } else if (count > 0 || random.nextInt(8) == 0) {
      ArrayNode tools = chat.putArray("tools");
      names.forEach(name -> tool(tools.addObject(), name));
      choice();
    }
    if (random.nextInt(5) == 0) {
      ObjectNode format = chat.putObject("response_format").put("type", "json_schema");
      ObjectNode definition = format.putObject("json_schema").put("name", "n");
      definition.set("schema", schema());
      definition.put("strict", random.nextBoolean() ? null : random.nextBoolean());
    }
  }

  private void tool(ObjectNode tool, String name) {
    if (random.nextInt(6) == 0) {
      tool.put("type", "custom").putObject("custom").put("name", name).put("description", "d");
    } else {
      function(tool.put("type", "function").putObject("function"), name, true);
    }
  }

  private void function(ObjectNode function, String name, boolean mayBeStrict) {
    function.put("name", name);
    if (random.nextBoolean()) {
      function.put("description", one(TEXTS));
    }
    if (often()) {
      function.set("parameters", schema());
    }
    if (mayBeStrict && random.nextInt(3) == 0) {
      function.put("strict", often() ? Boolean.TRUE : null);
    }
  }

  private JsonNode schema() {
    return random.nextBoolean() ? tree(one(SCHEMAS)) : AnySchema.of(random);
  }

  private void choice() {
    if (random.nextBoolean()) {
      chat.set(
          "tool_choice",
          tree(
              one(
                  List.of(
                      "'auto'",
                      "'none'",
                      "'required'",
                      "{'type':'function','function':{'name':'f'}}",
                      "{'type':'function','function':{'name':'absent'}}",
                      "{'type':'custom','custom':{'name':'f'}}",
                      "{'type':'allowed_tools','allowed_tools':{'mode':'required','tools':["
                          + "{'type':'function','function':{'name':'g'}}]}}",
                      "{'type':'allowed_tools','allowed_tools':{'mode':'auto','tools':["
                          + "{'type':'function','function':{'name':'f'}}]}}"))));
    }
  }
}
