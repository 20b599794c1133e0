package dev.tollgate.core.api.responses;

import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The items of a Responses API request's input by the chat messages that they became, so that paths
 * of the chat can be named as those of the client's body.
 */
final class InputPaths {
  private static final int MESSAGE_BYTES = 64;
  private static final int UNKNOWN = -1;
  private static final Pattern MESSAGE =
      Pattern.compile(
          "^messages\\[(\\d{1,9})](?:\\.content((?:\\[\\d+](?:\\.image_url)?)?).*)?(.*)$");
  private static final Pattern CALL =
      Pattern.compile("^\\.tool_calls\\[(\\d{1,9})](?:\\.(id)|\\.function(\\.\\w+)?)?.*$");

  private final List<Message> messages = new ArrayList<>();
  private int bytes;

  /**
   * Message of a chat.
   *
   * @param text what it is of the client's body, if it is no item of a list
   * @param item first item that became it
   * @param isOnly true if no other item became a part of it
   * @param contentItem item with its content; negative if there are several
   * @param content name of the item's content
   * @param calls items of its calls; those in the form of chats as negative numbers, less one
   */
  private record Message(
      String text,
      int item,
      boolean isOnly,
      int contentItem,
      String content,
      List<Integer> calls) {}

  /** Adds the message that a whole member of the body became. */
  void member(String name) {
    add(new Message(name, UNKNOWN, true, UNKNOWN, "", List.of()));
  }

  /** Adds the message that one item became. */
  void item(int item, String content) {
    add(new Message("", item, true, item, content, List.of()));
  }

  /**
   * Adds the message that items of the assistant became.
   *
   * @param contentItem item with its content; negative if there are several
   * @param calls items of its calls; those in the form of chats as negative numbers, less one
   */
  void assistant(int item, boolean isOnly, int contentItem, List<Integer> calls) {
    add(new Message("", item, isOnly, contentItem, "content", List.copyOf(calls)));
  }

  private void add(Message message) {
    messages.add(message);
    bytes += MESSAGE_BYTES + Integer.BYTES * message.calls.size();
  }

  /** Returns the heap that this takes, roughly. */
  int bytes() {
    return bytes;
  }

  /** Returns a path of the client's body; {@code input} where the item is unknown. */
  String of(String path) {
    Matcher found = MESSAGE.matcher(path);
    int k = found.matches() ? Integer.parseInt(found.group(1)) : messages.size();
    if (k >= messages.size()) {
      return ResponsesInput.PARAM.toString();
    }
    Message message = messages.get(k);
    if (!message.text.isEmpty()) {
      return message.text;
    }
    if (found.group(2) != null) {
      return message.contentItem < 0
          ? ResponsesInput.PARAM.toString()
          : ofItem(message.contentItem).dot(message.content) + found.group(2);
    }
    return ofMember(message, found.group(3));
  }

  private static String ofMember(Message message, String member) {
    Matcher call = CALL.matcher(member);
    if (call.matches()) {
      int c = Integer.parseInt(call.group(1));
      return c < message.calls.size()
          ? ofCall(message.calls.get(c), call)
          : ResponsesInput.PARAM.toString();
    }
    if (member.equals(".tool_call_id") && message.content.equals("output")) {
      return ofItem(message.item).dot("call_id").toString();
    }
    boolean isKnown = message.isOnly || member.isEmpty();
    return isKnown ? ofItem(message.item) + member : ResponsesInput.PARAM.toString();
  }

  private static String ofCall(int item, Matcher path) {
    if (item < 0) {
      return ofItem(-1 - item).toString();
    }
    String member = path.group(3) == null ? "" : path.group(3);
    return ofItem(item) + (path.group(2) == null ? member : ".call_id");
  }

  private static Param ofItem(int item) {
    return ResponsesInput.PARAM.at(item);
  }
}
