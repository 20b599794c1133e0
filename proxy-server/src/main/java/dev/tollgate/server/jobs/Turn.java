package dev.tollgate.server.jobs;

import dev.tollgate.core.id.OrgId;
import java.util.Map;
import java.util.Set;

/**
 * Whose jobs a node takes up next: organizations have turns at each provider, and a provider that
 * does not answer must not have all workers.
 *
 * @param most jobs to take up
 * @param lastOrg who had the last turn
 * @param lastProvider at which provider
 * @param inWork jobs that the node works at, by their provider
 * @param share of a provider in the node's workers, while there are jobs of others
 * @param closed providers that take nothing new at present
 */
public record Turn(
    int most,
    OrgId lastOrg,
    String lastProvider,
    Map<String, Integer> inWork,
    int share,
    Set<String> closed) {
  public Turn {
    inWork = Map.copyOf(inWork);
    closed = Set.copyOf(closed);
  }
}
