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
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

  private final ExchangeContext context;

  public Exchanges(
      Upstreams upstreams, InflightBytes inflight, Observer observer, ExchangeOptions options) {
    this.context = new ExchangeContext(upstreams, inflight, observer, new DrainQuota(), options);
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS -> chat(request, downstream);
      case MODELS ->
          answer(
              request,
              downstream,
              ModelList.list(request.catalog(), request.key(), request.argument()));
      case MODEL ->
          answer(
              request,
              downstream,
              ModelList.one(request.catalog(), request.key(), request.argument()));
    };
  }

  private Running chat(ExchangeRequest request, Downstream downstream) {
    return switch (ChatRequest.parse(request.body().bytes(), request.body().length())) {
      case ChatRequest.Parsed.Refused refused -> refuse(request, downstream, refused.fault());
      case ChatRequest.Parsed.Valid valid -> route(request, downstream, valid.request());
    };
  }

  /** The order of refusals is DECISIONS 1: model scope, existence, modality scope. */
  private Running route(ExchangeRequest request, Downstream downstream, ChatRequest chat) {
    ModelId id = chat.model();
    if (!KeyScopes.allowsModel(request.key(), id.toString())) {
      return refuse(
          request,
          downstream,
          about(ErrorCode.MODEL_NOT_ALLOWED, "the key may not use the model " + id));
    }
    Optional<Model> model = request.catalog().model(id);
    if (model.isEmpty()) {
      return refuse(
          request, downstream, about(ErrorCode.MODEL_NOT_FOUND, "there is no model " + id));
    }
    if (!KeyScopes.allowsModality(request.key(), model.get())) {
      return refuse(
          request,
          downstream,
          about(
              ErrorCode.MODALITY_NOT_ALLOWED,
              "the key may not use " + model.get().modality().wire() + " models"));
    }
    if (model.get().modality() != Modality.CHAT) {
      return refuse(request, downstream, Fault.invalid("model", id + " is not a chat model"));
    }
    var exchange =
        new Exchange(
            context,
            request,
            downstream,
            new ChatCall(request.id(), chat, model.get()),
            RoutePlan.byPriority(model.get(), context.options().attemptsMax()));
    exchange.begin();
    return exchange;
  }

  private static Fault about(ErrorCode code, String message) {
    return new Fault(code, message, "model", null, 0, false, Map.of());
  }

  private Running answer(ExchangeRequest request, Downstream downstream, ModelList.Answer answer) {
    switch (answer) {
      case ModelList.Answer.Refused refused -> {
        return refuse(request, downstream, refused.fault());
      }
      case ModelList.Answer.Found found -> {
        ByteBuf body = downstream.allocator().buffer();
        new JsonOut(body).raw(found.json());
        int bytes = body.readableBytes();
        downstream.send(new Reply.Whole(200, "application/json", List.of(), body));
        downstream.flush();
        record(request, downstream, Ending.OK, null, 200, bytes);
        return ANSWERED;
      }
    }
  }

  private Running refuse(ExchangeRequest request, Downstream downstream, Fault fault) {
    downstream.send(new Reply.Refused(fault, List.of()));
    downstream.flush();
    record(request, downstream, Ending.REJECTED, fault.code(), fault.code().status(), 0);
    return ANSWERED;
  }

  private void record(
      ExchangeRequest request,
      Downstream downstream,
      Ending ending,
      @Nullable ErrorCode code,
      int status,
      long bytes) {
    request.body().end();
    long now = downstream.loop().ticker().nanoTime();
    context.observer().ended(request.record(ending, code, status, null, bytes, now));
  }
}
