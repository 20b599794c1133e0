package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatRequest;
import dev.tollgate.core.endpoint.KeyScopes;
import dev.tollgate.core.endpoint.ModelList;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers authenticated requests: from the catalog at once, or through an {@link Exchange}. */
public final class Exchanges implements RequestService {
  /** A request that was answered before anything could happen to it. */
  private static final Running ANSWERED =
      new Running() {
        @Override
        public void clientLeft(ClientExit exit) {}

        @Override
        public void writabilityChanged() {}

        @Override
        public void cutShort(Fault fault) {}
      };

  private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);

  private final ExchangeContext context;

  /** What is to be done with a request, before anything was done. */
  private sealed interface Decision {
    record Admitted(Exchange exchange) implements Decision {}

    record Found(JsonBytes json) implements Decision {}

    record Refused(Fault fault, Ending ending) implements Decision {}
  }

  /**
   * @param rows writes a request's line for the request log, a JSON object
   */
  public Exchanges(
      Upstreams upstreams,
      InflightBytes inflight,
      Ledger ledger,
      Observer observer,
      Function<RequestRecord, byte[]> rows,
      ExchangeOptions options) {
    this.context =
        new ExchangeContext(upstreams, inflight, ledger, observer, rows, new DrainQuota(), options);
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    return switch (decided(request, downstream)) {
      case Decision.Admitted admitted -> {
        admitted.exchange().begin();
        yield admitted.exchange();
      }
      case Decision.Found found -> {
        answer(request, downstream, found.json());
        yield ANSWERED;
      }
      case Decision.Refused refused -> {
        refuse(request, downstream, refused.fault(), refused.ending());
        yield ANSWERED;
      }
    };
  }

  /** A fault of ours is told once to the log, and decides like any other. */
  private Decision decided(ExchangeRequest request, Downstream downstream) {
    try {
      return decide(request, downstream);
    } catch (RuntimeException surprise) {
      LOG.error("request {} failed", request.id(), surprise);
      return new Decision.Refused(Exchange.SURPRISE, Ending.INTERNAL_ERROR);
    }
  }

  private Decision decide(ExchangeRequest request, Downstream downstream) {
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS -> chat(request, downstream);
      case MODELS -> listed(ModelList.list(request.catalog(), request.key(), request.argument()));
      case MODEL -> listed(ModelList.one(request.catalog(), request.key(), request.argument()));
    };
  }

  private static Decision listed(ModelList.Answer answer) {
    return switch (answer) {
      case ModelList.Answer.Refused refused -> refused(refused.fault());
      case ModelList.Answer.Found found -> new Decision.Found(found.json());
    };
  }

  private Decision chat(ExchangeRequest request, Downstream downstream) {
    return switch (ChatRequest.parse(request.body().bytes(), request.body().length())) {
      case ChatRequest.Parsed.Refused refused -> refused(refused.fault());
      case ChatRequest.Parsed.Valid valid -> route(request, downstream, valid.request());
    };
  }

  /** The order of refusals is DECISIONS 1: model scope, existence, modality scope. */
  private Decision route(ExchangeRequest request, Downstream downstream, ChatRequest chat) {
    ModelId id = chat.model();
    if (!KeyScopes.allowsModel(request.key(), id.toString())) {
      return about(ErrorCode.MODEL_NOT_ALLOWED, "the key may not use the model " + id);
    }
    Optional<Model> found = request.catalog().model(id);
    if (found.isEmpty()) {
      return about(ErrorCode.MODEL_NOT_FOUND, "there is no model " + id);
    }
    Model model = found.get();
    if (!KeyScopes.allowsModality(request.key(), model)) {
      return about(
          ErrorCode.MODALITY_NOT_ALLOWED,
          "the key may not use " + model.modality().wire() + " models");
    }
    if (model.modality() != Modality.CHAT) {
      return refused(Fault.invalid("model", id + " is not a chat model"));
    }
    var call = new ChatCall(request.id(), chat, model);
    RoutePlan plan = RoutePlan.byPriority(model, request.catalog().attemptsMax());
    return new Decision.Admitted(new Exchange(context, request, downstream, call, plan));
  }

  private static Decision about(ErrorCode code, String message) {
    return refused(new Fault(code, message, "model", null, 0, false, Map.of()));
  }

  private static Decision refused(Fault fault) {
    return new Decision.Refused(fault, Ending.REJECTED);
  }

  // In the answers the body ends first: nothing of it is needed, and the rest may throw.

  private void answer(ExchangeRequest request, Downstream downstream, JsonBytes json) {
    request.body().end();
    ByteBuf body = downstream.allocator().buffer();
    new JsonOut(body).raw(json);
    int bytes = body.readableBytes();
    downstream.send(new Reply.Whole(200, "application/json", List.of(), body));
    downstream.flush();
    record(request, downstream, Ending.OK, null, 200, bytes);
  }

  private void refuse(ExchangeRequest request, Downstream downstream, Fault fault, Ending ending) {
    request.body().end();
    downstream.send(new Reply.Refused(fault, List.of()));
    downstream.flush();
    record(request, downstream, ending, fault.code(), fault.code().status(), 0);
  }

  private void record(
      ExchangeRequest request,
      Downstream downstream,
      Ending ending,
      @Nullable ErrorCode code,
      int status,
      long bytes) {
    long now = downstream.loop().ticker().nanoTime();
    context.observer().ended(request.record(ending, code, status, null, bytes, now));
  }
}
