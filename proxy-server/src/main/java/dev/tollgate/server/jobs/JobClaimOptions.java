package dev.tollgate.server.jobs;

import dev.tollgate.core.id.OrgId;
import java.util.Map;
import java.util.Set;

/**
 * Whose jobs a node takes up next: organizations have turns at each provider, and a provider that
 * does not answer must not have all workers.
 *
 * @param limit jobs to take up
 * @param lastOrg who had the last turn
 * @param lastProvider at which provider
 * @param inWork jobs that the node works at, by their provider
 * @param share of a provider in the node's workers, while there are jobs of others
 * @param closedProviders providers that take nothing new at present
 */
public record JobClaimOptions(
    int limit,
    OrgId lastOrg,
    String lastProvider,
    Map<String, Integer> inWork,
    int share,
    Set<String> closedProviders) {
  public JobClaimOptions {
    inWork = Map.copyOf(inWork);
    closedProviders = Set.copyOf(closedProviders);
  }
}
