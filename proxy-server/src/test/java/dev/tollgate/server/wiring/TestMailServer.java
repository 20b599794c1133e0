package dev.tollgate.server.wiring;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** SMTP server on loopback that keeps the mails of each address. */
final class TestMailServer implements AutoCloseable {
  private static final int WAIT_SECONDS_MAX = 30;
  private static final Pattern SECRET = Pattern.compile("/([a-z-]+)#([A-Za-z0-9_-]{43})");

  private final ServerSocket listening = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  private final Map<String, BlockingQueue<String>> mails = new ConcurrentHashMap<>();

  TestMailServer() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "smtp://127.0.0.1:" + listening.getLocalPort();
  }

  /** Waits for the next mail to an address and returns the secret of its link. */
  String secretFor(String address, String page) throws InterruptedException {
    String mail = of(address).poll(WAIT_SECONDS_MAX, SECONDS);
    if (mail == null) {
      throw new AssertionError("no mail to " + address);
    }
    Matcher link = SECRET.matcher(mail);
    if (!link.find() || !link.group(1).equals(page)) {
      throw new AssertionError("no link to " + page + " in " + mail);
    }
    return link.group(2);
  }

  private BlockingQueue<String> of(String address) {
    return mails.computeIfAbsent(address, _ -> new LinkedBlockingQueue<>());
  }

  private void accept() {
    while (!listening.isClosed()) {
      try (Socket client = listening.accept()) {
        serve(client);
      } catch (IOException _) {
        // The client left, or the server was closed.
      }
    }
  }

  private void serve(Socket client) throws IOException {
    var in = new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII));
    OutputStream out = client.getOutputStream();
    reply(out, "220 test");
    String to = "";
    String line = in.readLine();
    while (line != null) {
      String command = line.toUpperCase(Locale.ROOT);
      if (command.startsWith("RCPT TO:")) {
        to = line.substring(line.indexOf('<') + 1, line.indexOf('>'));
      }
      if (command.equals("DATA")) {
        reply(out, "354 go on");
        of(to).add(content(in));
      }
      reply(out, command.equals("QUIT") ? "221 bye" : "250 ok");
      line = in.readLine();
    }
  }

  private static String content(BufferedReader in) throws IOException {
    var text = new StringBuilder();
    String line = in.readLine();
    while (line != null && !line.equals(".")) {
      text.append(line).append('\n');
      line = in.readLine();
    }
    return text.toString();
  }

  private static void reply(OutputStream out, String line) throws IOException {
    out.write((line + "\r\n").getBytes(US_ASCII));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
