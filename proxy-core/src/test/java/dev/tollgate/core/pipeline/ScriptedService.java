package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.fault.Fault;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A service whose script a test writes: it keeps every call, and answers as it was told. */
final class ScriptedService implements RequestService {
  final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
  volatile CompletionStage<Void> unawaited = CompletableFuture.completedStage(null);
  private volatile Consumer<Call> script = call -> call.answer(200, "{\"ok\":true}");

  /** What is done with each request from now on, on its loop. */
  void script(Consumer<Call> next) {
    script = next;
  }

  /** Requests wait for the test. */
  void hold() {
    script(_ -> {});
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    String body = new String(request.body().bytes(), 0, request.body().length(), UTF_8);
    request.body().end();
    Call call = new Call(request, body, downstream);
    calls.add(call);
    script.accept(call);
    call.scripted.countDown();
    return call;
  }

  @Override
  public CompletionStage<Void> detachedRequests() {
    return unawaited;
  }

  Call awaitCall() throws InterruptedException {
    Call call = calls.poll(10, TimeUnit.SECONDS);
    if (call == null) {
      throw new AssertionError("no request came");
    }
    return call;
  }

  /** One request in work. */
  static final class Call implements Running {
    final ExchangeRequest request;
    final String body;
    final Downstream downstream;
    final BlockingQueue<DisconnectReason> exits = new LinkedBlockingQueue<>();
    final BlockingQueue<Fault> cuts = new LinkedBlockingQueue<>();
    final BlockingQueue<Boolean> writability = new LinkedBlockingQueue<>();
    final CountDownLatch scripted = new CountDownLatch(1);
    volatile long leftAtNanos;

    Call(ExchangeRequest request, String body, Downstream downstream) {
      this.request = request;
      this.body = body;
      this.downstream = downstream;
    }

    @Override
    public void clientDisconnected(DisconnectReason exit) {
      leftAtNanos = System.nanoTime();
      exits.add(exit);
    }

    @Override
    public void writabilityChanged() {
      writability.add(downstream.isWritable());
    }

    @Override
    public void cutShort(Fault fault) {
      cuts.add(fault);
      downstream.send(new Reply.Refused(fault, List.of()));
      downstream.flush();
    }

    void answer(int status, String json) {
      onLoop(
          () -> {
            var body = Unpooled.copiedBuffer(json, UTF_8);
            downstream.send(new Reply.Whole(status, "application/json", List.of(), body));
            downstream.flush();
          });
    }

    void open() {
      onLoop(
          () -> {
            downstream.send(new Reply.Opened(List.of()));
            downstream.flush();
          });
    }

    void openBytes(String contentType) {
      onLoop(
          () -> {
            downstream.send(new Reply.OpenedBytes(contentType, List.of()));
            downstream.flush();
          });
    }

    void bytes(String bytes) {
      onLoop(
          () -> {
            downstream.send(new Reply.Piece(Unpooled.copiedBuffer(bytes, UTF_8)));
            downstream.flush();
          });
    }

    void event(String data) {
      onLoop(
          () -> {
            downstream.send(
                new Reply.Piece(Unpooled.copiedBuffer("data: " + data + "\n\n", UTF_8)));
            downstream.flush();
          });
    }

    void end() {
      onLoop(
          () -> {
            downstream.send(new Reply.Ended());
            downstream.flush();
          });
    }

    void refuse(Fault fault) {
      onLoop(
          () -> {
            downstream.send(new Reply.Refused(fault, List.of()));
            downstream.flush();
          });
    }

    /** Ends an open stream with a fault, and the connection without its last chunk. */
    void breakOff(Fault fault) {
      onLoop(
          () -> {
            downstream.send(new Reply.Refused(fault, List.of(), new ErrorForm.Envelope(), true));
            downstream.flush();
          });
    }

    private void onLoop(Runnable step) {
      if (downstream.loop().inEventLoop()) {
        step.run();
      } else {
        downstream.loop().execute(step);
      }
    }

    DisconnectReason awaitExit() throws InterruptedException {
      DisconnectReason exit = exits.poll(10, TimeUnit.SECONDS);
      if (exit == null) {
        throw new AssertionError("the client's leaving was not seen");
      }
      return exit;
    }
  }
}
